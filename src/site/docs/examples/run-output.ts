/** Shows below an example what came of it. */
import type { FileRow, RunAnswer } from '../../../operations/run/run-answer.ts'
import { el, fill, outerLink, type Child } from '../../workbench/page/dom.ts'
import { labelOf } from './copy-button.ts'

export type Outcome = { readonly answer: RunAnswer } | { readonly failure: string }

/** Replaces the outcome of an earlier run. */
export function showOutcome(block: HTMLElement, outcome: Outcome): void {
  const place = block.querySelector<HTMLElement>('.run-output') ?? newPlace(block)
  const hasFailed = 'failure' in outcome || outcome.answer.error !== undefined
  place.classList.toggle('bad', hasFailed)
  fill(
    place,
    ...('failure' in outcome ? [failureText(outcome.failure)] : answerParts(outcome.answer)),
  )
}

/** Read out by screen readers when it is filled. */
function newPlace(block: HTMLElement): HTMLElement {
  const place = el('div', { class: 'run-output', role: 'status' })
  place.setAttribute('aria-label', `Output: ${labelOf(block)}`)
  block.append(place)
  return place
}

function answerParts({ result, logs, files_touched, error }: RunAnswer): Child[] {
  return [
    error && failureText(error.message),
    ...(logs.length > 0 ? [what('Logs'), output(logs.join('\n'), 'Logs')] : []),
    ...(error ? [] : [what('Result'), output(resultText(result), 'Result')]),
    ...(files_touched.length > 0
      ? [what('Files'), el('ul', {}, ...files_touched.map(fileItem))]
      : []),
  ]
}

/** As JSON, but a text of several lines as it is. */
function resultText(result: unknown): string {
  const isText = typeof result === 'string' && result.includes('\n')
  return isText ? result : JSON.stringify(result, null, 2)
}

function failureText(message: string): Child {
  return el('p', { class: 'failure' }, message)
}

function what(name: string): Child {
  return el('p', { class: 'what' }, name)
}

function output(text: string, label: string): Child {
  return el('pre', { tabindex: 0, role: 'region', 'aria-label': label }, text)
}

function fileItem({ name, op, bytes, link }: FileRow): HTMLElement {
  const shown = link === undefined ? name : outerLink(name, link)
  const fact = op === 'remove' ? 'removed' : `${bytes.toLocaleString('en')} bytes`
  return el('li', {}, shown, `, ${fact}`)
}
