/** Dialogs, and notes on failures. */
import { button, el, type Child } from './dom.ts'
import { RequestFailed, type Failure } from '../service/client.ts'

/**
 * A native dialog, which traps and restores the focus and closes on Escape. Removed when closed.
 */
export function openDialog(
  className: string,
  label: string,
  onClose: () => void = () => undefined,
  ...children: readonly Child[]
): HTMLDialogElement {
  const element = el('dialog', { class: className, 'aria-label': label }, ...children)
  element.addEventListener('close', () => {
    element.remove()
    onClose()
  })
  element.addEventListener('click', (event) => {
    // The target is the dialog itself only outside its content.
    if (event.target === element) element.close()
  })
  document.body.append(element)
  element.showModal()
  return element
}

/** Asks for confirmation. Closing means no; the button for no has the focus. */
export function confirmed(question: string, detail: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    let agreed = false
    const dialog = openDialog(
      'confirm',
      question,
      () => resolve(agreed),
      el(
        'div',
        { class: 'dialog-body' },
        el('h2', {}, question),
        el('p', {}, detail),
        el(
          'div',
          { class: 'dialog-actions' },
          button('Cancel', () => dialog.close(), { autofocus: true }),
          button(
            yes,
            () => {
              agreed = true
              dialog.close()
            },
            { class: 'danger' },
          ),
        ),
      ),
    )
  })
}

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
