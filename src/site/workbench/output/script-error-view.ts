/** A script error: kind, message, advice, and a link to the line. */
import { button, el } from '../page/dom.ts'
import type { RunError } from '../service/run-script.ts'

const ADVICE: Readonly<Record<string, string>> = {
  syntax: 'The script could not be read, so nothing of it ran.',
  fuel: 'The script used up the work a run may do. Look for a loop that never ends, or split the work over several runs.',
  timeout:
    'The run took longer than it may. Look for a loop that never ends, or split the work over several runs.',
  memory:
    'The script needed more memory than a run has. Read files line by line, and write results as you go.',
  limit: 'A run may only do so much of this. Split the work over several runs.',
  storage: 'Not everything could be stored; the files below say what was. Run it again.',
  result:
    'What the script returned cannot be written as JSON. Return plain tables, texts and numbers.',
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

export function scriptErrorView(error: RunError, goTo: (line: number) => void): HTMLElement {
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
