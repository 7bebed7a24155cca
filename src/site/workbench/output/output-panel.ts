/** A run's output: error or result, files, log. */
import {
  copyButton,
  button,
  el,
  fill,
  outerLink,
  panel,
  type Cell,
  type Child,
} from '../page/dom.ts'
import { failureNote } from '../page/notes.ts'
import { countOf, formatBytes } from '../page/format.ts'
import { inlineImage } from '../files/pictures.ts'
import type { Client, Failure } from '../service/client.ts'
import type { RunAnswer, RunFile, RunError } from '../service/run-script.ts'
import type { LogView } from './log-view.ts'
import { resultView } from './result-view.ts'
import { filesOf, statusLine, type LastRun } from './run-state.ts'

interface OutputOptions {
  readonly run: Cell<LastRun>
  readonly client: Client
  readonly log: LogView
  goToLine(line: number): void
  /** Leads to the field for a token. */
  replaceToken(): void
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

function outcomeOf(state: LastRun, options: OutputOptions): Child[] {
  switch (state.phase) {
    case 'idle':
      return [firstSteps()]
    case 'running':
      return []
    case 'stopped':
      return [stoppedNote()]
    case 'failed':
      return [failedNote(state.failure, options)]
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

function failedNote(failure: Failure, { replaceToken }: OutputOptions): HTMLElement {
  const note = failureNote(failure)
  if (failure.needsToken) note.append(button('Paste a token', replaceToken, { class: 'primary' }))
  return note
}

function stoppedNote(): HTMLElement {
  const text = 'Files that it had closed by then are stored. The script is as you left it.'
  return el('div', { class: 'note' }, el('strong', {}, 'The run was stopped.'), el('p', {}, text))
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
        : resultView(result),
    ),
  ]
}

function filesPart(state: LastRun, { client, openFile }: OutputOptions): Child[] {
  const rows = filesOf(state)
  const picture = state.phase === 'ended' ? inlineImage(rows, client, openFile) : null
  return [
    el('div', { class: 'part-head' }, el('h3', {}, `${countOf(rows.length, 'file')} touched`)),
    touchedFiles(rows, openFile),
    picture,
  ]
}

const OPERATIONS: Readonly<Record<RunFile['op'], string>> = {
  write: 'written',
  append: 'appended',
  remove: 'removed',
}

function touchedFiles(rows: readonly RunFile[], openFile: (path: string) => void): HTMLElement {
  return el('ul', { class: 'files' }, ...rows.map((row) => rowView(row, openFile)))
}

function rowView(row: RunFile, openFile: (path: string) => void): HTMLElement {
  const { name, op, bytes, stored, link } = row
  const isThere = op !== 'remove' && stored !== false
  return el(
    'li',
    {},
    isThere
      ? button(el('bdi', {}, name), () => openFile(name), { class: 'file-name', title: 'Preview' })
      : el('bdi', { class: 'file-name gone' }, name),
    el('span', { class: 'what' }, stored === false ? 'not stored' : OPERATIONS[op]),
    el('span', { class: 'size' }, isThere ? formatBytes(bytes) : ''),
    el(
      'span',
      { class: 'row-actions' },
      isThere &&
        link &&
        outerLink('Open', link, { class: 'quiet', 'aria-label': `Open ${name} by its link` }),
      isThere &&
        link &&
        copyButton('Copy link', () => link, { 'aria-label': `Copy link of ${name}` }),
    ),
  )
}

const ADVICE: Readonly<Record<string, string>> = {
  syntax: 'The script could not be compiled, so none of it ran.',
  fuel: 'The script used up its fuel. Look for a loop that never ends, or split the work over several runs.',
  timeout:
    'The run exceeded its time limit. Look for a loop that never ends, or split the work over several runs.',
  memory:
    'The script needed more memory than a run has. Read files line by line, and write results as you go.',
  limit: 'The run reached a limit. Split the work over several runs.',
  storage: 'Not everything could be stored; the files below say what was. Run it again.',
  result: 'The returned value cannot be encoded as JSON. Return plain tables, strings and numbers.',
}

const TITLES: Readonly<Record<string, string>> = {
  syntax: 'Syntax error',
  runtime: 'Runtime error',
  fuel: 'Out of fuel',
  timeout: 'Out of time',
  memory: 'Out of memory',
  limit: 'Limit reached',
  storage: 'Not everything was stored',
  result: 'The result cannot be returned',
}

function scriptErrorView(error: RunError, goTo: (line: number) => void): HTMLElement {
  const { kind, message, line, traceback } = error
  const advice = ADVICE[kind]
  return el(
    'div',
    { class: 'note bad script-error' },
    el(
      'div',
      { class: 'note-head' },
      el('strong', {}, TITLES[kind] ?? kind),
      line !== undefined && button(`Go to line ${line}`, () => goTo(line), { class: 'quiet' }),
    ),
    el('pre', { class: 'message' }, message),
    advice && el('p', {}, advice),
    traceback &&
      el(
        'details',
        {},
        el('summary', {}, 'Traceback'),
        el('pre', { class: 'traceback', tabindex: 0 }, traceback),
      ),
  )
}
