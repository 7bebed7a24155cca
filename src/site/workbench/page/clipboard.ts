/** Copy buttons and file downloads. */
import { button, type Attributes } from './dom.ts'

const TOLD_MS = 1600

/** Briefly shows success or failure, without changing size. */
export function copyButton(
  label: string,
  textOf: () => string | Promise<string>,
  attributes: Attributes = {},
): HTMLButtonElement {
  const name = attributes['aria-label']
  const show = (text: string) => {
    element.textContent = text
    // No aria-label: it would hide the result from screen readers.
    if (text !== label) element.removeAttribute('aria-label')
    else if (typeof name === 'string') element.setAttribute('aria-label', name)
  }
  const copy = async () => {
    const told = await Promise.resolve(textOf())
      .then((text) => navigator.clipboard.writeText(text))
      .then(
        () => 'Copied',
        () => 'Not copied',
      )
    show(told)
    setTimeout(() => show(label), TOLD_MS)
  }
  const element = button(label, () => void copy(), {
    class: 'quiet copy',
    'aria-live': 'polite',
    ...attributes,
  })
  return element
}

export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has started the download by the next task.
  setTimeout(() => URL.revokeObjectURL(address))
}
