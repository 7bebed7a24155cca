/** Client script of the docs: puts the service's URL into examples and adds copy buttons. */
import { PLACEHOLDER_ORIGIN } from '../placeholder-origin.ts'

const COPIED_MS = 2000

showOwnAddress(document.body)
for (const block of document.querySelectorAll<HTMLElement>('[data-copy]')) addCopyButton(block)

function showOwnAddress(root: Node): void {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode as Text
    if (text.data.includes(PLACEHOLDER_ORIGIN)) {
      text.data = text.data.replaceAll(PLACEHOLDER_ORIGIN, location.origin)
    }
  }
}

function addCopyButton(block: HTMLElement): void {
  const code = block.querySelector('code')
  // The clipboard needs a secure context: localhost or HTTPS.
  if (!code || !navigator.clipboard) return
  const button = document.createElement('button')
  const label = block.querySelector('pre')?.getAttribute('aria-label') ?? 'the example'
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy: ${label}`)
  button.addEventListener('click', () => {
    const say = (word: string) => {
      button.textContent = word
      button.setAttribute('aria-label', `${word}: ${label}`)
    }
    navigator.clipboard.writeText(code.textContent ?? '').then(
      () => {
        say('Copied')
        setTimeout(() => say('Copy'), COPIED_MS)
      },
      () => say('Not allowed'),
    )
  })
  block.append(button)
}
