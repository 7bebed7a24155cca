/** Example buttons, with the chosen one's description and steps. */
import { button, el, fill } from '../page/dom.ts'
import { EXAMPLES, type Example } from './examples.ts'

export interface ExampleBar {
  readonly choices: HTMLElement
  /** Description of the current example. */
  readonly about: HTMLElement
  /** Shows which example the script is, if any. */
  refresh(script: string): void
}

export interface ExampleActions {
  load(script: string): void
  /** Restores the previous script. */
  undo(): void
}

export function exampleBar({ load, undo }: ExampleActions): ExampleBar {
  const about = el('p', { class: 'about', role: 'status' })
  const choices = EXAMPLES.map((example) =>
    button(example.title, () => choose(example.steps[0]!), { 'aria-pressed': 'false' }),
  )
  let isJustLoaded = false

  function choose(script: string): void {
    isJustLoaded = true
    load(script)
    isJustLoaded = false
  }

  /** Keeps the keyboard focus when the buttons are redrawn. */
  function chooseStep(script: string): void {
    choose(script)
    about.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus()
  }

  function refresh(script: string): void {
    const example = EXAMPLES.find(({ steps }) => steps.includes(script))
    choices.forEach((choice, i) =>
      choice.setAttribute('aria-pressed', String(EXAMPLES[i] === example)),
    )
    fill(
      about,
      example?.summary ?? 'Your own script. It is kept in this browser.',
      ...(example ? stepButtons(example, script) : []),
      isJustLoaded &&
        button('Undo', undo, {
          class: 'quiet',
          'aria-label': 'Undo: bring the script before back',
        }),
    )
  }

  function stepButtons({ steps }: Example, script: string): HTMLElement[] {
    if (steps.length === 1) return []
    return steps.map((step, i) =>
      button(`Step ${i + 1}`, () => chooseStep(step), {
        class: 'step',
        'aria-pressed': String(step === script),
      }),
    )
  }

  return {
    choices: el('div', { class: 'chips', role: 'group', 'aria-label': 'Examples' }, ...choices),
    about,
    refresh,
  }
}
