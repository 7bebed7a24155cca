/** Parses link targets, titles, labels and reference definitions. */
import { escapeAddress, escapeEscaped } from './escape.ts'
import type { Target } from './tree.ts'

const MAX_LABEL_LENGTH = 999
/** Of parentheses in a URL without angle brackets. */
const MAX_NESTING = 32

const GAP = /[ \t]*(?:\n[ \t]*)?/y
const LABEL = /\[((?:[^[\]\\]|\\[^])*)\]/y
const ANGLE_ADDRESS = /<((?:[^<>\n\\]|\\[^\n])*)>/y
const TITLE = /"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|\(((?:[^()\\]|\\[^])*)\)/y
const LINE_END = /[ \t]*(?:\n|$)/y

/** A parsed value and the offset after it. */
export interface Found<T> {
  readonly value: T
  readonly end: number
}

/** Labels match if their normalized forms are equal; empty if the label is too long or blank. */
export function normalizeLabel(label: string): string {
  if (label.length > MAX_LABEL_LENGTH) return ''
  return label.trim().replaceAll(/\s+/g, ' ').toLowerCase().toUpperCase()
}

/** `[label]`, unnormalized. */
export function labelAt(text: string, at: number): Found<string> | undefined {
  const label = matchAt(LABEL, text, at)
  return label && { value: label[1]!, end: at + label[0].length }
}

/** `(address "title")` after a link's text. */
export function inlineTargetAt(text: string, at: number): Found<Target> | undefined {
  if (text[at] !== '(') return undefined
  const address = addressAt(text, afterGap(text, at + 1))
  const end = address?.end ?? afterGap(text, at + 1)
  const titleAt = afterGap(text, end)
  const title = titleAt > end && address ? matchAt(TITLE, text, titleAt) : undefined
  const close = afterGap(text, title ? titleAt + title[0].length : end)
  if (text[close] !== ')') return undefined
  return { value: targetOf(address?.value ?? '', title), end: close + 1 }
}

/** `[label]: address "title"`, including the line end. */
export function definitionAt(
  text: string,
  at: number,
): Found<{ readonly label: string; readonly target: Target }> | undefined {
  const name = labelAt(text, at)
  const label = normalizeLabel(name?.value ?? '')
  if (name === undefined || label === '' || text[name.end] !== ':') return undefined
  const address = addressAt(text, afterGap(text, name.end + 1))
  if (address === undefined) return undefined
  const titleAt = afterGap(text, address.end)
  const title = titleAt > address.end ? matchAt(TITLE, text, titleAt) : undefined
  const titled = title && matchAt(LINE_END, text, titleAt + title[0].length)
  if (titled) {
    const end = titleAt + title[0].length + titled[0].length
    return { value: { label, target: targetOf(address.value, title) }, end }
  }
  const ended = matchAt(LINE_END, text, address.end)
  if (!ended) return undefined
  const target = targetOf(address.value, undefined)
  return { value: { label, target }, end: address.end + ended[0].length }
}

function targetOf(address: string, title: RegExpExecArray | undefined): Target {
  const written = title?.[1] ?? title?.[2] ?? title?.[3] ?? ''
  return { href: escapeAddress(address), title: escapeEscaped(written) }
}

function addressAt(text: string, at: number): Found<string> | undefined {
  if (text[at] === '<') {
    const found = matchAt(ANGLE_ADDRESS, text, at)
    return found && { value: found[1]!, end: at + found[0].length }
  }
  let nesting = 0
  let end = at
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code <= 0x20 || code === 0x7f) break
    if (text[end] === '\\' && /[!-/:-@[-`{-~]/.test(text[end + 1] ?? '')) end += 1
    else if (text[end] === '(' && ++nesting > MAX_NESTING) return undefined
    else if (text[end] === ')' && --nesting < 0) break
  }
  return end === at || nesting > 0 ? undefined : { value: text.slice(at, end), end }
}

function afterGap(text: string, at: number): number {
  return at + (matchAt(GAP, text, at)?.[0].length ?? 0)
}

/** @param pattern Sticky. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}
