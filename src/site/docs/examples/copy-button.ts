/** Buttons beside examples: what every kind of them shares, and the one that copies. */
import { button } from '../../workbench/page/dom.ts'

const COPIED_MS = 2000

/** The row of buttons of an example, made when it is first needed. */
export function buttonsOf(block: HTMLElement): HTMLElement {
  const present = block.querySelector<HTMLElement>('.buttons')
  if (present) return present
  const row = document.createElement('div')
  row.className = 'buttons'
  block.querySelector('pre')!.after(row)
  return row
}

export function codeOf(block: HTMLElement): string {
  return block.querySelector('code')!.textContent
}

export function labelOf(block: HTMLElement): string {
  return block.querySelector('pre')!.getAttribute('aria-label') ?? 'the example'
}

export function addCopyButton(block: HTMLElement): void {
  // The clipboard needs a secure context: localhost or HTTPS.
  if (!navigator.clipboard) return
  const label = labelOf(block)
  const say = (word: string) => {
    copy.textContent = word
    copy.setAttribute('aria-label', `${word}: ${label}`)
  }
  const copy = button('Copy', () => {
    navigator.clipboard.writeText(codeOf(block)).then(
      () => {
        say('Copied')
        setTimeout(() => say('Copy'), COPIED_MS)
      },
      () => say('Not allowed'),
    )
  })
  say('Copy')
  buttonsOf(block).append(copy)
}
