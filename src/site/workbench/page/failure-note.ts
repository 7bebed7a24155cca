/** A failure as people read it: what happened, and what to do. */
import { el } from './dom.ts'
import { RequestFailed, type Failure } from '../service/failure.ts'

/** Whatever was thrown; what nobody foresaw is told as it is. */
export function failureOf(error: unknown): Failure {
  if (error instanceof RequestFailed) return error.failure
  const message = error instanceof Error ? error.message : String(error)
  return {
    title: 'Something went wrong on this page.',
    advice: `${message} Reload it; your script is kept.`,
  }
}

export function failureNote({ title, advice }: Failure): HTMLElement {
  return el(
    'div',
    { class: 'note bad' },
    el('strong', {}, title),
    advice && el('p', {}, ...withCode(advice)),
  )
}

/** What stands between backquotes is something to type. */
function withCode(text: string): (Node | string)[] {
  return text.split('`').map((part, i) => (i % 2 === 1 ? el('code', {}, part) : part))
}
