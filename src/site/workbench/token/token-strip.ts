/** The token field: paste, summary, forget. Its height is constant. */
import { button, el, fill, type Cell, type Child } from '../page/dom.ts'
import { formatWhen } from '../page/format.ts'
import { cleanToken, findClaims, type ShownClaims } from './token.ts'
import type { TokenProblem } from './token-problem.ts'

const REDRAW_MS = 15_000

interface TokenStripOptions {
  readonly token: Cell<string>
  readonly problem: Cell<TokenProblem | null>
  /** Returns the dev server's token, else `null`. */
  findLocalToken(): Promise<string | null>
}

export function tokenStrip({ token, problem, findLocalToken }: TokenStripOptions) {
  const element = el('section', { class: 'token', 'aria-label': 'Access' })
  const input = el('input', {
    id: 'token',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'Paste a token',
    'aria-describedby': 'token-hint',
  })
  const local = button('Use a local token', () => void useLocal(), { hidden: true })
  const form = el(
    'form',
    { class: 'token-form' },
    el('label', { for: 'token' }, 'Token'),
    input,
    el('button', { type: 'submit' }, 'Use this token'),
    local,
    el(
      'p',
      { class: 'hint', id: 'token-hint' },
      'It stays in this tab. Ask the operator of this service for one; on your own machine ',
      el('code', {}, 'npm run -s token'),
      ' prints one.',
    ),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    take(input.value)
  })

  async function useLocal(): Promise<void> {
    take((await findLocalToken()) ?? '')
  }

  function take(pasted: string): void {
    const cleaned = cleanToken(pasted)
    if (cleaned === '') return input.focus()
    input.value = ''
    token.set(cleaned)
    element.querySelector('button')?.focus()
  }

  function forget(): void {
    token.set('')
    input.focus()
  }

  function draw(): void {
    const value = token.get()
    if (value === '') {
      if (!form.isConnected) fill(element, form)
    } else fill(element, held(value, forget))
  }

  token.watch(draw)
  // Updates only the text over time: a form being filled in is left alone.
  setInterval(() => token.get() !== '' && refreshExpiry(element, token.get()), REDRAW_MS)
  problem.watch((now) => (element.dataset.state = now ?? 'held'))
  void findLocalToken().then((found) => (local.hidden = found === null))
  return {
    element,
    /** Leads to the field. */
    replace: forget,
  }
}

function held(token: string, forget: () => void): HTMLElement {
  const claims = findClaims(token)
  return el(
    'div',
    { class: 'token-held' },
    ...(claims
      ? claimViews(claims)
      : [el('p', {}, 'An API key is in use. Only the service knows what it allows.')]),
    button('Forget', forget, { class: 'quiet', 'aria-label': 'Forget the token' }),
  )
}

function claimViews({ tenant, user, scopes, expiresAt }: ShownClaims): Child[] {
  const facts: readonly (readonly [string, Child])[] = [
    ['tenant', tenant ?? 'as the service reads it'],
    ['user', user ?? 'none'],
    ['scopes', scopes ? scopes.join(' ') || 'none' : 'the default ones'],
  ]
  return [
    el(
      'dl',
      {},
      ...facts.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
    ),
    el('p', { class: 'expiry', role: 'status' }, expiryText(expiresAt)),
  ]
}

function expiryText(expiresAt: Date | undefined): string {
  if (!expiresAt) return 'Has no expiry date'
  const now = new Date()
  const when = formatWhen(expiresAt, now)
  return expiresAt > now ? `Ends ${when}` : `Ended ${when}: forget it and paste a new one`
}

function refreshExpiry(element: HTMLElement, token: string): void {
  const expiry = element.querySelector('.expiry')
  const text = expiryText(findClaims(token)?.expiresAt)
  if (expiry && expiry.textContent !== text) expiry.textContent = text
}
