/** The page of an upload link: a form, which a script makes comfortable where there is one. */
import type { AppError } from '../../errors.ts'
import { escapeHtml, escapeName } from '../../lib/html.ts'
import { lastSegment } from '../../links/file-link.ts'
import type { StoredUpload } from '../../operations/links/take-upload.ts'
import type { UploadTarget } from '../../operations/links/upload-target.ts'
import { sizeOf, timeOf } from './facts.ts'
import { pageFrame } from './page-frame.ts'

/** The script is part of the site; the form works without it. */
const SCRIPT = '/assets/drop.js'

/** Its own script, and requests to this service and to the store, if that takes files itself. */
export function dropPolicy(storeOrigin?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    `connect-src ${["'self'", storeOrigin].filter(Boolean).join(' ')}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** What became of one file of a form. */
export type UploadOutcome =
  | { readonly name: string; readonly stored: StoredUpload }
  | { readonly name: string; readonly error: AppError }

const STYLE = `
:root { --bad: #a3241b; --good: #1c7048 }
@media (prefers-color-scheme: dark) { :root { --bad: #ff9d92; --good: #74cf9f } }
main { max-width: 36rem }
bdi { overflow-wrap: anywhere }
time, data { white-space: nowrap }
form { margin: 1.5rem 0 }
.zone { padding: 1.5rem 1rem; border: 2px dashed var(--line); border-radius: 10px;
  background: var(--shade) }
.zone.over { border-color: var(--link) }
.zone label { display: block; margin-bottom: .5rem; font-weight: 600 }
.zone .hint { margin: .75rem 0 0 }
input[type=file] { width: 100%; min-height: 2.75rem; color: inherit; font: inherit }
::file-selector-button, button { min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--link);
  border-radius: 8px; background: var(--ground); color: var(--link); font: inherit;
  font-weight: 600; cursor: pointer }
input:focus-visible, button:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
::file-selector-button { margin-inline-end: .75rem }
@media (hover: none) { .hint { display: none } }
ul { margin: 0; padding: 0; list-style: none }
li { padding: .75rem 0; border-top: 1px solid var(--line) }
li p { margin: 0 }
li button { margin-top: .5rem }
progress { width: 100%; height: .5rem; accent-color: var(--link) }
.bad { color: var(--bad) } .good { color: var(--good) }
[hidden] { display: none }`

/** @param maxFormBytes The largest form that reaches the service, if that is limited. */
export function dropPage(target: UploadTarget, maxFormBytes: number | undefined): string {
  const { isFolder, terms, direct } = target
  const flags = `${isFolder ? ' data-folder' : ''}${direct ? ' data-direct' : ''}`
  // A single file passes the service, as a form does.
  const most = Math.min(terms.maxBytes, direct ? Infinity : (maxFormBytes ?? Infinity))
  const title = isFolder ? 'Send files' : 'Send a file'
  const accept = terms.contentType ? ` accept="${escapeHtml(terms.contentType)}"` : ''
  return pageFrame({
    title,
    main: `<h1>${title}</h1>
<p id="terms">${termsOf(target)}</p>
<form method="post" enctype="multipart/form-data" data-bytes="${most}"${flags}>
<div class="zone"><label for="file">${isFolder ? 'Choose files' : 'Choose a file'}</label>
<input type="file" id="file" name="file" required${isFolder ? ' multiple' : ''}${accept} aria-describedby="terms">
<p class="hint quiet" hidden>${isFolder ? 'Or drop them here.' : 'Or drop it here.'}</p></div>
<p class="plain"><button>Send</button></p>
</form>
<noscript><p class="quiet">${plainTerms(maxFormBytes)}</p></noscript>
<p id="status" role="status"></p>
<ul id="files" aria-label="Files"></ul>
<script src="${SCRIPT}" defer></script>`,
    style: STYLE,
  })
}

function termsOf({ isFolder, path, terms, expiresAt }: UploadTarget): string {
  const name = `<bdi>${escapeName(lastSegment(path) || 'Files')}</bdi>`
  const type = terms.contentType ? `, of type ${escapeHtml(terms.contentType)}` : ''
  const until = `until ${timeOf(expiresAt)} UTC`
  const size = sizeOf(terms.maxBytes)
  if (!isFolder) return `It is stored as ${name}: up to ${size}${type}, once, ${until}.`
  const files = terms.maxFiles === 1 ? '1 file' : `${terms.maxFiles} files`
  return `They are stored in ${name}: up to ${files}, ${size} in all${type}, ${until}.`
}

function plainTerms(maxFormBytes: number | undefined): string {
  return maxFormBytes === undefined
    ? 'Without JavaScript there is no progress bar. Send a file over 8 MB by itself.'
    : `Without JavaScript, at most ${sizeOf(maxFormBytes)} can be sent at once.`
}

/** After a form was sent. */
export function uploadedPage(
  { isFolder }: UploadTarget,
  outcomes: readonly UploadOutcome[],
): string {
  const failed = outcomes.filter((outcome) => 'error' in outcome).length
  const title = failed === 0 ? 'Sent' : failed === outcomes.length ? 'Not sent' : 'Partly sent'
  const more = isFolder || failed > 0 ? '\n<p><a href="">Send more</a></p>' : ''
  return pageFrame({
    title,
    main: `<h1>${title}</h1>
<ul aria-label="Files">
${outcomes.map(rowOf).join('\n')}
</ul>${more}`,
    style: STYLE,
  })
}

function rowOf(outcome: UploadOutcome): string {
  if ('error' in outcome) {
    const { name, error } = outcome
    return `<li><p><bdi>${escapeName(name)}</bdi></p><p class="bad">${escapeHtml(error.message)}</p></li>`
  }
  const { path, bytes } = outcome.stored
  return `<li><p><bdi>${escapeName(lastSegment(path))}</bdi></p><p class="good">${sizeOf(bytes)} stored</p></li>`
}
