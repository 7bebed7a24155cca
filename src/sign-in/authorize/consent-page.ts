/** The page on which a person lets a program in: plain HTML, without a script. */
import type { Scope } from '../../caller.ts'
import { pageFrame, pagePolicy } from '../../http/pages/page-frame.ts'
import { escapeHtml, escapeName } from '../../lib/html.ts'
import { isLoopback } from '../../lib/host-name.ts'
import { isOfWeb, sourceOf } from '../clients/redirect-uri.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { PAGE_HEADERS } from './page-headers.ts'

interface Consent {
  readonly request: AuthorizationRequest
  /** Proves that the form came from here. */
  readonly ticket: string
  readonly takesKeys: boolean
  /** Host of the issuer, if it can sign people in. */
  readonly issuerHost?: string | undefined
  /** What was wrong with the last attempt. */
  readonly problem?: string | undefined
}

const MEANINGS: Partial<Record<Scope, string>> = {
  execute: 'Run scripts',
  'files:read': 'Read your files',
  'files:write': 'Write, move and delete your files',
}

/** Browsers also check where the answer to a form redirects to. */
export function consentHeaders({ redirectUri }: AuthorizationRequest) {
  const policy = pagePolicy({ 'form-action': `'self' ${sourceOf(redirectUri)}` })
  return { ...PAGE_HEADERS, 'Content-Security-Policy': policy }
}

const STYLE = `
:root { --bad: #a3241b; --onlink: #fff }
@media (prefers-color-scheme: dark) { :root { --bad: #ff9d92; --onlink: #10151b } }
main { max-width: 32rem }
bdi, strong { overflow-wrap: anywhere }
ul { margin: 1rem 0; padding-inline-start: 1.25rem }
form { margin: 1.5rem 0 0 }
label { display: block; margin-bottom: .375rem; font-weight: 600 }
input { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--quiet);
  border-radius: 8px; background: var(--ground); color: inherit; font: inherit }
.row { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0 0 }
button { min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--link);
  border-radius: 8px; background: var(--ground); color: var(--link); font: inherit;
  font-weight: 600; cursor: pointer }
button.main { background: var(--link); color: var(--onlink) }
input:focus-visible, button:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.bad { color: var(--bad) }`

export function consentPage(consent: Consent): string {
  const { request, ticket, takesKeys, issuerHost, problem } = consent
  const name = `<bdi>${escapeName(request.clientName)}</bdi>`
  const scopes = request.scopes.map((scope) => `<li>${MEANINGS[scope] ?? escapeHtml(scope)}</li>`)
  return pageFrame({
    title: `${problem === undefined ? '' : 'Try again: '}Connect to Moonbucket`,
    main: `<h1>Connect ${name}?</h1>
<p>${originOf(request)} It asks to:</p>
<ul>${scopes.join('')}</ul>
<p>You will then return to ${targetOf(request.redirectUri)}. Continue only if you have just started
this yourself.</p>
<form method="post" action="?">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
${takesKeys ? keyField(problem) : problemText(problem)}
<p class="row">${buttons(takesKeys, issuerHost)}
<button name="choice" value="refuse" formnovalidate>Refuse</button></p>
</form>`,
    style: STYLE,
  })
}

function originOf({ clientHost }: AuthorizationRequest): string {
  if (clientHost === undefined) return 'The program gave itself this name: nobody has checked it.'
  return `It is a program from <strong>${escapeName(clientHost)}</strong>.`
}

function targetOf(redirectUri: string): string {
  const url = new URL(redirectUri)
  const host = `<strong>${escapeName(url.host)}</strong>`
  if (!isOfWeb(url)) {
    return `the app for <strong>${escapeHtml(url.protocol)}</strong> addresses on this device`
  }
  return isLoopback(url) ? `a program on this device (${host})` : host
}

function keyField(problem: string | undefined): string {
  const described = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'
  return `<label for="key">API key for this service</label>
<input id="key" name="key" type="password" required maxlength="4096" autocomplete="off"
autocapitalize="none" spellcheck="false"${described}>
${problemText(problem)}`
}

function problemText(problem: string | undefined): string {
  return problem === undefined
    ? ''
    : `<p class="bad" id="problem" role="alert">${escapeHtml(problem)}</p>`
}

/** The first one is what the Enter key presses. */
function buttons(takesKeys: boolean, issuerHost: string | undefined): string {
  const allow = '<button class="main" name="choice" value="key">Allow</button>'
  const issuer = `<button${takesKeys ? '' : ' class="main"'} name="choice" value="issuer" formnovalidate>Continue with ${escapeHtml(issuerHost ?? '')}</button>`
  return [takesKeys && allow, issuerHost !== undefined && issuer].filter(Boolean).join('\n')
}

/**
 * Goes on to another site. Not by a redirect: a policy for forms would have to list every host that
 * an issuer redirects to.
 */
export function leavePage(address: string): string {
  const href = escapeHtml(address)
  return pageFrame({
    title: 'Signing in',
    main: `<meta http-equiv="refresh" content="0; url=${href}">
<h1>Signing in</h1>
<p><a href="${href}">Continue</a></p>`,
    style: STYLE,
  })
}
