/** Validates the arguments and options of a call before anything is sent. */
import { refuser, type Refuse } from './api-error.ts'
import type { ApiInfo, BodyEntry, CallEntry, ParamEntry, ValueCheck } from '../catalog/catalog.ts'
import { parseExact } from './exact-json.ts'
import { didYouMean, quoteName } from '../catalog/names.ts'
import { openParams } from '../catalog/reserved-names.ts'

/** For URLs and headers: no server takes more, and percent-encoding triples it. */
const MAX_VALUE_LENGTH = 16_384

export type Arguments = Readonly<Record<string, unknown>>

/** Names a script may use; one that is not a Lua identifier also has an underscored form. */
export function keysOf({ key, name }: ParamEntry): string[] {
  const own = key ?? name
  return [own, own.replace(/[^A-Za-z0-9_]+/g, '_')]
}

/** The operator's fixed value, else the script's. */
export function valueOf(param: ParamEntry, args: Arguments): unknown {
  if (param.frozen !== undefined) return param.frozen
  const isGiven = (key: string) => Object.hasOwn(args, key) && args[key] !== null
  const given = keysOf(param).find(isGiven)
  return given === undefined ? undefined : args[given]
}

/** @throws {ApiError} `invalid_arguments` for a list. */
export function parseArguments(name: string, json: string): Arguments {
  const table = parseExact(json)
  if (!Array.isArray(table)) return table as Arguments
  if (table.length === 0) return {}
  return refuser(name)('arguments must be named: { name = value }')
}

/** @throws {ApiError} `invalid_arguments`, naming the first bad one. */
export function checkArguments(name: string, api: ApiInfo, call: CallEntry, args: Arguments): void {
  const refuse: Refuse = refuser(name)
  const open = openParams(api, call)
  const known = new Set([...open.flatMap(keysOf), ...(call.body ? ['body'] : [])])
  for (const key of Object.keys(args)) {
    if (!known.has(key)) refuse(`unknown parameter ${quoteName(key)}${didYouMean(key, known)}`)
  }
  for (const param of open) {
    const value = valueOf(param, args)
    const [key] = keysOf(param)
    if (value === undefined) {
      if (param.isRequired) refuse(`"${key}" is required (${param.type})`)
      continue
    }
    const problem =
      lengthOf(value) > MAX_VALUE_LENGTH ? 'is too long' : problemOf(value, param.check)
    if (problem) refuse(`"${key}" ${problem}`)
  }
}

/** A body of bytes is not inspected. @throws {ApiError} `invalid_arguments`. */
export function checkBody(name: string, entry: BodyEntry | undefined, body: unknown): void {
  const refuse: Refuse = refuser(name)
  if (body === undefined) {
    if (entry?.isRequired) refuse(`"body" is required (${entry.type})`)
    return
  }
  if (!entry) return refuse('takes no body')
  const isTable = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isTable || body instanceof Uint8Array) return
  const { required = [], fields } = entry
  for (const field of Object.keys(body)) {
    if (fields && !fields.includes(field)) {
      refuse(`unknown field ${quoteName(`body.${field}`)}${didYouMean(field, fields)}`)
    }
  }
  const missing = required.find((field) => !Object.hasOwn(body, field))
  if (missing !== undefined) refuse(`"body.${missing}" is required`)
}

function problemOf(value: unknown, check: ValueCheck | undefined): string | undefined {
  if (!check) return undefined
  if (check.type && !isOfType(value, check.type)) return `must be of type ${check.type}`
  if (!check.enum || Array.isArray(value)) return undefined
  const choices = check.enum.map(String)
  const text = textOf(value)
  if (text !== undefined && choices.includes(text)) return undefined
  return `must be one of ${choices.slice(0, 12).join(', ')}${didYouMean(text ?? '', choices)}`
}

/** Approximate total text length. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + lengthOf(item), 0)
}

/** Lenient between numbers and strings: in a URL both are text. */
function isOfType(value: unknown, type: NonNullable<ValueCheck['type']>): boolean {
  const text = textOf(value)
  switch (type) {
    case 'string':
      return text !== undefined && typeof value !== 'boolean'
    case 'integer':
      return text !== undefined && (Number.isInteger(value) || /^-?\d+$/.test(text))
    case 'number':
      return text !== undefined && text.trim() !== '' && Number.isFinite(Number(text))
    case 'boolean':
      return text === 'true' || text === 'false'
    case 'array':
      return Array.isArray(value) || isEmptyTable(value)
    case 'object':
      return typeof value === 'object' && !Array.isArray(value)
  }
}

/** Never for tables: `toString` could be one of the script's fields. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'object' ? undefined : String(value)
}

/** Lua cannot tell an empty list from an empty object. */
function isEmptyTable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
