/** Native dialogs, which trap and restore the focus and close on Escape. */
import { button, el, type Child } from './dom.ts'

export interface OpenDialog {
  readonly element: HTMLDialogElement
  close(): void
}

/** Removed when closed. */
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
    // The target is the dialog itself only outside its content.
    if (event.target === element) element.close()
  })
  document.body.append(element)
  element.showModal()
  return { element, close: () => element.close() }
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
