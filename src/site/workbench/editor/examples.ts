/** The scripts in `examples`: buttons, with the chosen one's description and steps. */
import csv from '../../../../examples/csv.lua'
import dump from '../../../../examples/dump.lua'
import plot from '../../../../examples/plot.lua'
import search from '../../../../examples/search.lua'
import firstStep from '../../../../examples/steps-1.lua'
import secondStep from '../../../../examples/steps-2.lua'
import { button, el, fill } from '../page/dom.ts'

/** Each step is a run. */
interface Example {
  readonly title: string
  readonly summary: string
  readonly steps: readonly string[]
}

export const EXAMPLES: readonly Example[] = [
  {
    title: 'Plot',
    summary: 'Draws the phases of the Moon as an SVG, and saves the numbers as CSV.',
    steps: [plot],
  },
  {
    title: 'Sum up a CSV',
    summary: 'Reads a CSV line by line and sums it up by region.',
    steps: [csv],
  },
  {
    title: 'Two steps',
    summary: 'One run writes files, the next reads them.',
    steps: [firstStep, secondStep],
  },
  {
    title: 'API into files',
    summary: 'Saves a data set from an API to a file, page by page.',
    steps: [dump],
  },
  {
    title: 'Search an API',
    summary: 'Finds functions by a question in plain words, and calls the first one.',
    steps: [search],
  },
]

export type ExampleBar = ReturnType<typeof exampleBar>

interface ExampleActions {
  load(script: string): void
  /** Restores the previous script. */
  undo(): void
}

export function exampleBar({ load, undo }: ExampleActions) {
  /** Description of the current example. */
  const about = el('p', { class: 'about', role: 'status' })
  const choices = EXAMPLES.map((example) =>
    button(example.title, () => choose(example.steps[0]!), { 'aria-pressed': 'false' }),
  )
  let isJustLoaded = false
  /** Where the script comes from, until it is edited. */
  let origin = ''

  /** Replaces the script; this can be undone. */
  function choose(script: string, from = ''): void {
    isJustLoaded = true
    origin = from
    load(script)
    isJustLoaded = false
    origin = ''
  }

  /** Keeps the keyboard focus when the buttons are redrawn. */
  function chooseStep(script: string): void {
    choose(script)
    about.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus()
  }

  /** Shows which example the script is, if any. */
  function refresh(script: string): void {
    const example = EXAMPLES.find(({ steps }) => steps.includes(script))
    choices.forEach((choice, i) =>
      choice.setAttribute('aria-pressed', String(EXAMPLES[i] === example)),
    )
    fill(
      about,
      origin || (example?.summary ?? 'Your own script. It is kept in this browser.'),
      ...(example ? stepButtons(example, script) : []),
      isJustLoaded &&
        button('Undo', undo, {
          class: 'quiet',
          'aria-label': 'Undo: restore the previous script',
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
    choose,
    /** Instead of the description, until the next edit. */
    tell: (text: string) => fill(about, text),
  }
}
