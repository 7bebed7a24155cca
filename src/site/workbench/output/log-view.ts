/** The growing log: drawn once per frame, with a bounded number of elements. */
import { copyButton, saveFile } from '../page/clipboard.ts'
import { button, el, fill } from '../page/dom.ts'
import { countOf, formatBytes } from '../page/format.ts'
import { followEnd } from './follow-end.ts'
import { LogBuffer, MAX_SHOWN } from './log-lines.ts'

/** Beyond this many lines per frame, screen readers stay silent. */
const MAX_SPOKEN = 20

export interface LogView {
  readonly element: HTMLElement
  /** Clears the log. */
  clear(): void
  add(lines: readonly string[]): void
  /** Replaces the log at the end of a run, including dropped lines. */
  finish(lines: readonly string[]): void
}

export function logView(): LogView {
  const heading = el('h3', {}, 'Log')
  const lines = el('div', { class: 'log', role: 'log', 'aria-label': 'Log' })
  const hidden = el('p', { class: 'hidden-lines' })
  const empty = el('p', { class: 'empty' })
  const actions = el('div', { class: 'actions' })
  const following = followEnd(lines)
  let log = new LogBuffer()
  let drawn = 0
  let frame = 0

  function draw(): void {
    frame = 0
    const added = log.shownSince(drawn)
    if (added.length > MAX_SPOKEN) lines.setAttribute('aria-live', 'off')
    lines.append(...added.map((line) => el('div', {}, line === '' ? '\u200b' : line)))
    while (lines.childElementCount > MAX_SHOWN) lines.firstElementChild!.remove()
    drawn = log.count
    tellCount()
    following.toEnd()
  }

  function tellCount(): void {
    heading.textContent = log.count === 0 ? 'Log' : `Log, ${countOf(log.count, 'line')}`
    empty.hidden = log.count > 0
    // Kept when empty: screen readers ignore a live region that has just appeared.
    lines.tabIndex = log.count === 0 ? -1 : 0
    hidden.textContent =
      log.hidden === 0
        ? ''
        : `${countOf(log.hidden, 'earlier line')} not shown. The whole log has ${formatBytes(log.characters)}: save it to see all.`
    hidden.hidden = log.hidden === 0
    actions.hidden = log.count === 0
  }

  function clear(): void {
    log = new LogBuffer()
    drawn = 0
    empty.textContent = 'What the script prints appears here.'
    lines.setAttribute('aria-live', 'polite')
    fill(lines)
    following.restart()
    tellCount()
  }

  fill(
    actions,
    copyButton('Copy', () => log.text()),
    button('Save', () => saveFile('log.txt', new Blob([log.text()], { type: 'text/plain' })), {
      class: 'quiet',
    }),
  )
  clear()
  return {
    element: el(
      'section',
      { class: 'part log-part' },
      el('div', { class: 'part-head' }, heading, actions),
      hidden,
      empty,
      lines,
    ),
    clear,
    add(more) {
      log.add(more)
      frame ||= requestAnimationFrame(draw)
    },
    finish(all) {
      empty.textContent = 'Nothing was printed.'
      if (all.length === log.count) return
      clear()
      log.add(all)
      frame ||= requestAnimationFrame(draw)
    },
  }
}
