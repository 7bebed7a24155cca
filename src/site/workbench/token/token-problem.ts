/** Why the service would not take the token, shown next to what needs it. */
import { button, cell, el, fill, type Cell } from '../page/dom.ts'
import { isOver } from './token.ts'

export type TokenProblem = 'none' | 'expired' | 'refused'

const CHECK_MS = 15_000

/** `null` while nothing is known to be wrong. */
export function tokenProblem(token: Cell<string>) {
  const problem = cell<TokenProblem | null>(null)
  let refused = ''
  const update = () => {
    const value = token.get()
    if (value === '') problem.set('none')
    else if (isOver(value)) problem.set('expired')
    else problem.set(value === refused ? 'refused' : null)
  }
  token.watch(update)
  setInterval(update, CHECK_MS)
  return {
    problem,
    /** The service answered 401 to this token. */
    refuse(value: string) {
      refused = value
      update()
    },
  }
}

const TEXTS: Readonly<Record<TokenProblem, string>> = {
  none: 'A token is needed to run it.',
  expired: 'The token has expired.',
  refused: 'The service refused the token.',
}

/** @param replace Leads to the field for a token. */
export function tokenNotice(problem: Cell<TokenProblem | null>, replace: () => void): HTMLElement {
  const element = el('p', { class: 'token-notice', role: 'status' })
  problem.watch((now) => {
    element.hidden = now === null
    element.dataset.state = now ?? ''
    if (now === null) return fill(element)
    const label = now === 'none' ? 'Paste a token' : 'Paste a new one'
    fill(element, TEXTS[now], ' ', button(label, replace, { class: 'quiet' }))
  })
  return element
}
