/** One file in the list: its name, how much of it is sent, and what became of it. */
import { button, el } from '../workbench/page/dom.ts'
import { formatBytes } from '../workbench/page/format.ts'

export interface FileRow {
  readonly element: HTMLElement
  progress(sentBytes: number): void
  /** A pause, such as for a lost connection. */
  say(text: string): void
  done(): void
  /** @param beforeRetry Absent if another try would fail too. */
  fail(message: string, beforeRetry: (() => void) | undefined): void
}

const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export function fileRow({ name, size }: File, retry: () => void): FileRow {
  const label = name.replaceAll(DIRECTION_MARKS, '\ufffd')
  const bar = el('progress', { max: Math.max(size, 1), value: 0, 'aria-label': label })
  const note = el('p', { class: 'quiet' }, formatBytes(size))
  const element = el('li', {}, el('p', {}, el('bdi', {}, label)), bar, note)
  const tell = (text: string, kind: string) => {
    note.textContent = text
    note.className = kind
  }
  return {
    element,
    progress(sentBytes) {
      bar.value = sentBytes
      const percent = size === 0 ? 100 : Math.floor((100 * sentBytes) / size)
      tell(`${percent} % of ${formatBytes(size)}`, 'quiet')
    },
    say: (text) => tell(text, 'quiet'),
    done() {
      bar.remove()
      tell(`Sent: ${formatBytes(size)}`, 'good')
    },
    fail(message, beforeRetry) {
      bar.hidden = true
      tell(message, 'bad')
      if (!beforeRetry) return
      const again = button('Try again', () => {
        again.remove()
        bar.hidden = false
        bar.value = 0
        beforeRetry()
        retry()
      })
      again.setAttribute('aria-label', `Try again: ${label}`)
      element.append(again)
    },
  }
}
