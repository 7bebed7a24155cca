/** Shows a failure and what to do about it. */
import { el } from './dom.ts'
import { RequestFailed, type Failure } from '../service/failure.ts'

/** Shows the message of unexpected errors. */
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

/** Backquotes mark something to type. */
function withCode(text: string): (Node | string)[] {
  return text.split('`').map((part, i) => (i % 2 === 1 ? el('code', {}, part) : part))
}
