/** A run's output: error or result, files, log. */
import type { Cell } from '../page/cell.ts'
import { copyButton } from '../page/clipboard.ts'
import { button, el, fill, type Child } from '../page/dom.ts'
import { failureNote } from '../page/failure-note.ts'
import { countOf } from '../page/format.ts'
import { panel } from '../page/panel.ts'
import { inlineImage } from '../files/inline-image.ts'
import type { Client } from '../service/client.ts'
import type { RunAnswer } from '../service/run-script.ts'
import type { LogView } from './log-view.ts'
import { resultTree } from './result-tree.ts'
import { filesOf, type RunState } from './run-state.ts'
import { scriptErrorView } from './script-error-view.ts'
import { statusLine } from './status-line.ts'
import { touchedFiles } from './touched-files.ts'

export interface OutputOptions {
  readonly run: Cell<RunState>
  readonly client: Client
  readonly log: LogView
  goToLine(line: number): void
  openFile(path: string): void
}

export function outputPanel(options: OutputOptions): HTMLElement {
  const { run, log } = options
  const outcome = el('div', { class: 'outcome' })
  const files = el('section', { class: 'part' })
  run.watch((state) => {
    fill(outcome, ...outcomeOf(state, options))
    files.hidden = filesOf(state).length === 0
    fill(files, ...filesPart(state, options))
    log.element.hidden = state.phase === 'idle'
  })
  return panel(
    { id: 'output', title: 'Output' },
    statusLine(run),
    el('div', { class: 'panel-body', tabindex: -1 }, outcome, files, log.element),
  )
}

function outcomeOf(state: RunState, options: OutputOptions): Child[] {
  switch (state.phase) {
    case 'idle':
      return [firstSteps()]
    case 'running':
      return []
    case 'stopped':
      return [stoppedNote()]
    case 'failed':
      return [failureNote(state.failure)]
    case 'ended':
      return [
        state.answer.error && scriptErrorView(state.answer.error, options.goToLine),
        ...resultPart(state.answer, options),
      ]
  }
}

function firstSteps(): HTMLElement {
  const steps = [
    ['Take an example', 'or write your own Lua. Files are opened with the io library you know.'],
    ['Run it', 'and watch its log. Each run gets a virtual machine of its own.'],
    [
      'Open its files',
      'here, or anywhere by their links. They stay in the bucket for the next script.',
    ],
  ] as const
  const items = steps.map(([head, text]) => el('li', {}, el('strong', {}, head), ' ', text))
  return el('ol', { class: 'first-steps' }, ...items)
}

function stoppedNote(): HTMLElement {
  const text = 'Files that it had closed by then are stored. The script is as you left it.'
  return el('div', { class: 'note' }, el('strong', {}, 'You stopped the run.'), el('p', {}, text))
}

function resultPart(
  { result, result_file: file, error }: RunAnswer,
  options: OutputOptions,
): Child[] {
  if (error && result === null) return []
  const copy = copyButton('Copy', () => JSON.stringify(result, null, 2), {
    'aria-label': 'Copy the result',
  })
  const isNothing = result === null
  return [
    el(
      'section',
      { class: 'part' },
      el('div', { class: 'part-head' }, el('h3', {}, 'Result'), !isNothing && copy),
      file !== undefined &&
        el(
          'p',
          {},
          'It is too long to show. All of it is in ',
          button(file, () => options.openFile(file), { class: 'file-name' }),
          '; it begins:',
        ),
      isNothing
        ? el(
            'p',
            { class: 'empty' },
            'Nothing was returned. ',
            el('code', {}, 'return'),
            ' a value to see it here.',
          )
        : resultTree(result),
    ),
  ]
}

function filesPart(state: RunState, { client, openFile }: OutputOptions): Child[] {
  const rows = filesOf(state)
  const picture = state.phase === 'ended' ? inlineImage(rows, client, openFile) : null
  return [
    el('div', { class: 'part-head' }, el('h3', {}, `${countOf(rows.length, 'file')} touched`)),
    touchedFiles(rows, openFile),
    picture,
  ]
}
