/** The growing log: drawn once per frame, with a bounded number of elements. */
import { copyButton, saveFile, button, el, fill } from '../page/dom.ts'
import { countOf, formatBytes } from '../page/format.ts'

/** Beyond this many lines per frame, screen readers stay silent. */
const MAX_SPOKEN = 20

export type LogView = ReturnType<typeof logView>

/** Drawn once per frame, with a bounded number of elements. */
export function logView() {
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
    add(more: readonly string[]) {
      log.add(more)
      frame ||= requestAnimationFrame(draw)
    },
    /** Replaces the log at the end of a run, including dropped lines. */
    finish(all: readonly string[]) {
      empty.textContent = 'Nothing was printed.'
      if (all.length === log.count) return
      clear()
      log.add(all)
      frame ||= requestAnimationFrame(draw)
    },
  }
}

const MAX_SHOWN = 500
const MAX_LINE = 2000

/** Keeps all lines, shows the last. */
class LogBuffer {
  #lines: string[] = []
  #characters = 0

  get count(): number {
    return this.#lines.length
  }

  get characters(): number {
    return this.#characters
  }

  get hidden(): number {
    return Math.max(0, this.#lines.length - MAX_SHOWN)
  }

  add(lines: readonly string[]): void {
    for (const line of lines) {
      this.#lines.push(line)
      this.#characters += line.length + 1
    }
  }

  /** Lines since a count, as far as shown. */
  shownSince(count: number): string[] {
    return this.#lines.slice(Math.max(count, this.hidden)).map(shorten)
  }

  /** The whole log as text. */
  text(): string {
    return this.#lines.map((line) => `${line}\n`).join('')
  }
}

function shorten(line: string): string {
  if (line.length <= MAX_LINE) return line
  return `${line.slice(0, MAX_LINE)}… (${line.length - MAX_LINE} more characters: save the log to see them)`
}

/** Tolerance in pixels. */
const NEAR_PX = 40

/** Keeps the end of growing text in view until the user scrolls up. */
function followEnd(element: HTMLElement) {
  let isFollowing = true
  let lastTop = 0
  const isAtEnd = () => element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX
  /** Call after adding. */
  const toEnd = () => {
    if (!isFollowing) return
    element.scrollTop = element.scrollHeight
    lastTop = element.scrollTop
  }
  element.addEventListener('scroll', () => {
    // Shrinking the element is not scrolling up.
    isFollowing = isAtEnd() || (isFollowing && element.scrollTop >= lastTop)
  })
  new ResizeObserver(toEnd).observe(element)
  return {
    toEnd,
    /** Call after clearing: follows again. */
    restart() {
      isFollowing = true
      lastTop = 0
    },
  }
}
