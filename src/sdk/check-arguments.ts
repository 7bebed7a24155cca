/** Looks at a call's arguments before anything is sent: a wrong one costs no request. */
import { ApiError } from './api-error.ts'
import type { BodyEntry, CallEntry, ParamEntry, ValueCheck } from './catalog.ts'
import { didYouMean } from './nearest.ts'

/** What a script passed. */
export type Arguments = Readonly<Record<string, unknown>>

/** What scripts call a parameter; names that are no Lua names have a second form. */
export function keysOf({ key, name }: ParamEntry): string[] {
  const own = key ?? name
  return [own, own.replace(/[^A-Za-z0-9_]+/g, '_')]
}

/** The value a script gave for a parameter; `undefined` for none. */
export function valueOf(param: ParamEntry, args: Arguments): unknown {
  if (param.frozen !== undefined) return param.frozen
  const key = keysOf(param).find((candidate) => args[candidate] != null)
  return key === undefined ? undefined : args[key]
}

/** @throws {ApiError} `invalid_arguments`, naming the first one that is wrong. */
export function checkArguments(name: string, call: CallEntry, args: Arguments): void {
  const refuse = (problem: string): never => {
    throw new ApiError('invalid_arguments', `${name}: ${problem}`)
  }
  const open = call.params.filter(({ frozen }) => frozen === undefined)
  const known = new Set([...open.flatMap(keysOf), ...(call.body ? ['body'] : [])])
  for (const key of Object.keys(args)) {
    if (!known.has(key)) refuse(`there is no parameter "${key}"${didYouMean(key, known)}`)
  }
  for (const param of open) {
    const value = valueOf(param, args)
    const [key] = keysOf(param)
    if (value === undefined) {
      if (param.isRequired) refuse(`"${key}" is required (${param.type})`)
      continue
    }
    const problem = problemOf(value, param.check)
    if (problem) refuse(`"${key}" ${problem}`)
  }
}

/** @throws {ApiError} `invalid_arguments`. A body that is bytes is not looked into. */
export function checkBody(name: string, entry: BodyEntry | undefined, body: unknown): void {
  const refuse = (problem: string): never => {
    throw new ApiError('invalid_arguments', `${name}: ${problem}`)
  }
  if (body === undefined) {
    if (entry?.isRequired) refuse(`"body" is required (${entry.type})`)
    return
  }
  if (!entry) return refuse('takes no body')
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return
  const { required = [], fields } = entry
  for (const field of Object.keys(body)) {
    if (fields && !fields.includes(field)) {
      refuse(`there is no field "body.${field}"${didYouMean(field, fields)}`)
    }
  }
  const missing = required.find((field) => (body as Arguments)[field] === undefined)
  if (missing !== undefined) refuse(`"body.${missing}" is required`)
}

function problemOf(value: unknown, check: ValueCheck | undefined): string | undefined {
  if (!check) return undefined
  if (check.type && !isOfType(value, check.type)) return `has to be of type ${check.type}`
  if (
    check.enum &&
    !Array.isArray(value) &&
    !check.enum.some((choice) => String(choice) === String(value))
  ) {
    const choices = check.enum.map(String)
    return `has to be one of ${choices.slice(0, 12).join(', ')}${didYouMean(String(value), choices)}`
  }
  return undefined
}

/** Numbers and words pass for each other where nothing is lost: in an address they are all text. */
function isOfType(value: unknown, type: NonNullable<ValueCheck['type']>): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value) || /^-?\d+$/.test(String(value))
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number' || isNumeric(value)
    case 'boolean':
      return typeof value === 'boolean' || value === 'true' || value === 'false'
    case 'array':
      return Array.isArray(value) || isEmptyTable(value)
    case 'object':
      return typeof value === 'object' && !Array.isArray(value)
  }
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
}

/** Lua cannot tell an empty list from an empty object. */
function isEmptyTable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
