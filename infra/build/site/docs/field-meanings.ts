/** Meanings of fields that the schemas omit to save tokens: people get one for every field. */
import { DEFAULT_LIMITS, FUEL_PER_SECOND } from '../../../../src/limits.ts'
import type { JsonSchema } from '../openapi.ts'

const { fuel, memoryBytes, runMs, writeBytes, apiCalls } = DEFAULT_LIMITS

const number = (value: number) => value.toLocaleString('en')

/** By the whole name, which may be in the answer of a run, else by its last part. */
const MEANINGS: Readonly<Record<string, string>> = {
  'limits.fuel': `How much the script may compute. The default of ${number(fuel)} is about ${fuel / FUEL_PER_SECOND} s of computing; waiting costs nothing.`,
  'limits.memory_bytes': `Memory of the Lua VM. The default is ${sizeText(memoryBytes)}, half of it on Workers.`,
  'limits.timeout_ms': `How long the run may take in milliseconds, including waiting. The default is ${runMs / 1000} s.`,
  'limits.write_bytes': `How much the run may write to all its files together. The default is ${sizeText(writeBytes)}.`,
  'limits.api_calls': `How many calls to APIs the run may make; retries and pages count. The default is ${number(apiCalls)}.`,
  'error.kind': 'What kind of error it is; the Errors page explains each.',
  'error.message': 'What went wrong, for people.',
  'error.line': 'The line of the script, if it is known.',
  'error.traceback': 'The calls that led there.',
  bytes: 'Size of the file.',
  content: 'The text, in this encoding.',
  encoding: 'As requested.',
  entries: 'What is in it, by name.',
  etag: 'Changes with the content.',
  exists: 'Whether there is something.',
  expires_at: 'When the link stops working.',
  change: 'What happened to the file.',
  files: 'Every file that the patch changed.',
  format: 'How the content is written.',
  headers: 'To be sent with the upload.',
  link: 'Opens the file in a browser, without a token.',
  method: 'How to send it.',
  modified_at: 'When the file was last stored.',
  name: 'The last part of the path.',
  openapi: 'The version of the format.',
  path: 'Relative, such as `output/rows.csv`.',
  replacements: 'How many occurrences were replaced.',
  answer: 'What `/execute` would return, with new links.',
  created_at: 'When it was requested.',
  id: 'Identifies the run.',
  limit: 'The most rows in a response.',
  run: 'The run, which continues.',
  runs: 'Newest first.',
  status: 'Whether it is in progress, or how it ended.',
  truncated: 'Whether `content` is only the beginning.',
  type: 'What it is.',
  url: 'Opens the file; presigned by the store, or the same as `link`.',
  url_expires_at: 'When `url` stops working.',
}

/** Markdown; empty if nobody has written one. */
export function meaningOf(name: string, { description }: JsonSchema): string {
  const known = name.replace(/^answer\./, '')
  return description ?? MEANINGS[known] ?? MEANINGS[lastPart(name)] ?? ''
}

/** The range of a value in words, with units; a lower bound of 0 or 1 goes without saying. */
export function rangeText(name: string, { minimum, maximum, maxLength }: JsonSchema): string {
  if (maxLength !== undefined) return `At most ${number(Number(maxLength))} characters.`
  const unit = unitOf(lastPart(name))
  const shown = (value: unknown) => number(Number(value)) + unit(Number(value))
  const isLow = minimum === undefined || Number(minimum) <= 1
  if (maximum !== undefined) {
    return isLow ? `At most ${shown(maximum)}.` : `From ${shown(minimum)} to ${shown(maximum)}.`
  }
  return isLow ? '' : `At least ${shown(minimum)}.`
}

function lastPart(name: string): string {
  return name.split('.').at(-1)!
}

function unitOf(name: string): (value: number) => string {
  if (name.endsWith('_s')) return (value) => ` (${durationText(value)})`
  if (name.endsWith('bytes')) return (value) => ` (${sizeText(value)})`
  return () => ''
}

function durationText(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const
  const [size, name] = units.find(([each]) => seconds % each === 0) ?? [1, 'second']
  const count = seconds / size
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

function sizeText(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes / 1e6} MB`
}
