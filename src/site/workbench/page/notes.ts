/** Dialogs, and notes on failures. */
import { button, el, type Child } from './dom.ts'
import { RequestFailed, type Failure } from '../service/client.ts'

interface DialogOptions {
  /** CSS class. */
  readonly style: string
  readonly label: string
  onClose?(): void
  /** Asked before it closes, for what would be lost. */
  mayClose?(): Promise<boolean>
}

/**
 * A native dialog, which traps and restores the focus and closes on Escape. Removed when closed.
 */
export function openDialog(
  { style, label, onClose, mayClose }: DialogOptions,
  ...children: readonly Child[]
) {
  const element = el('dialog', { class: style, 'aria-label': label }, ...children)
  const close = () => {
    if (!mayClose) return element.close()
    void mayClose().then((may) => may && element.close())
  }
  element.addEventListener('close', () => {
    element.remove()
    onClose?.()
  })
  element.addEventListener('click', (event) => {
    // The target is the dialog itself only outside its content.
    if (event.target === element) close()
  })
  element.addEventListener('cancel', (event) => {
    event.preventDefault()
    close()
  })
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    // Browsers let only the first Escape be refused as `cancel`.
    event.preventDefault()
    close()
  })
  document.body.append(element)
  element.showModal()
  return { close }
}

/** Asks for confirmation. Closing means no; the button for no has the focus. */
export function confirmed(question: string, detail: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    let agreed = false
    const { close } = openDialog(
      { style: 'confirm', label: question, onClose: () => resolve(agreed) },
      el(
        'div',
        { class: 'dialog-body' },
        el('h2', {}, question),
        el('p', {}, detail),
        el(
          'div',
          { class: 'dialog-actions' },
          button('Cancel', () => close(), { autofocus: true }),
          button(
            yes,
            () => {
              agreed = true
              close()
            },
            { class: 'danger' },
          ),
        ),
      ),
    )
  })
}

interface Question {
  readonly question: string
  /** Of the field. */
  readonly label: string
  /** To begin with. */
  readonly text: string
  readonly yes: string
}

/** Asks for a text. `null` if there is none. */
export function asked({ question, label, text, yes }: Question): Promise<string | null> {
  return new Promise((resolve) => {
    let answer: string | null = null
    const field = el('input', {
      value: text,
      autocomplete: 'off',
      spellcheck: 'false',
      autofocus: true,
      required: true,
    })
    const form = el(
      'form',
      { class: 'dialog-body' },
      el('h2', {}, question),
      el('label', {}, label, field),
      el(
        'div',
        { class: 'dialog-actions' },
        button('Cancel', () => close()),
        el('button', { type: 'submit', class: 'primary' }, yes),
      ),
    )
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      answer = field.value.trim() || null
      close()
    })
    const { close } = openDialog(
      { style: 'confirm', label: question, onClose: () => resolve(answer) },
      form,
    )
    // The name without its extension, which usually stays.
    const start = text.lastIndexOf('/') + 1
    const dot = text.lastIndexOf('.')
    field.setSelectionRange(start, dot > start ? dot : text.length)
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

/** For a place with room for one line. */
export function failureLine(error: unknown): string {
  const { title, advice } = failureOf(error)
  return `${title} ${advice}`.trim().replaceAll('`', '')
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
