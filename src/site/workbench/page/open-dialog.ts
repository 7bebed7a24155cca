/** Dialogs: the browser's own, which keep the focus, close on Escape and give the focus back. */
import { button, el, type Child } from './dom.ts'

export interface OpenDialog {
  readonly element: HTMLDialogElement
  close(): void
}

/** Is gone from the page when it is closed. */
export function openDialog(
  className: string,
  label: string,
  onClose: () => void = () => undefined,
  ...children: readonly Child[]
): OpenDialog {
  const element = el('dialog', { class: className, 'aria-label': label }, ...children)
  element.addEventListener('close', () => {
    element.remove()
    onClose()
  })
  element.addEventListener('click', (event) => {
    // Only what lies beside the dialog's content is the dialog itself.
    if (event.target === element) element.close()
  })
  document.body.append(element)
  element.showModal()
  return { element, close: () => element.close() }
}

/** Whether a person agrees; closing means no, and no is what has the focus. */
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
