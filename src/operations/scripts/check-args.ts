/** Checks the arguments of a saved script against its annotations. */
import { AppError } from '../../errors.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { plainText } from '../../sdk/catalog/schema-text.ts'
import type { ArgSchema, JsonType } from './arg-schema.ts'

/** In one message. */
const MAX_FAULTS = 10
const MAX_CHOICES = 12

const NAMES: Readonly<Record<JsonType, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

/**
 * Returns what to pass on as JSON text: where arguments are described, `args` is always a table.
 *
 * @param argsJson JSON text, which keeps large numbers exact.
 * @throws {AppError} `invalid_request`, naming every missing, unknown and wrong argument.
 */
export function checkArgs(schema: ArgSchema, argsJson: string | undefined): string | undefined {
  if (!schema.properties) return argsJson
  const text = argsJson ?? '{}'
  const faults = faultsOf(schema, parseArgs(text), 'args')
  if (faults.length === 0) return text
  const shown = faults.slice(0, MAX_FAULTS)
  if (faults.length > shown.length) shown.push(`and ${faults.length - shown.length} more`)
  throw new AppError('invalid_request', shown.join('; '))
}

function parseArgs(text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new AppError('invalid_request', 'args: must be JSON', { cause })
  }
}

/** Each names its place; empty if the value is accepted. */
function faultsOf(schema: ArgSchema, value: unknown, place: string): string[] {
  if (!isAccepted(schema, value)) return [`${place}: must be ${expected(schema)}`]
  if (schema.anyOf) {
    const isFine = schema.anyOf.some((choice) => faultsOf(choice, value, place).length === 0)
    return isFine ? [] : [`${place}: must be ${expected(schema)}`]
  }
  if (Array.isArray(value)) return schema.items ? faultsInList(schema.items, value, place) : []
  if (typeof value !== 'object' || value === null) return []
  return faultsInObject(schema, value as Readonly<Record<string, unknown>>, place)
}

/** The first fault is enough: lists are long, and their items alike. */
function faultsInList(items: ArgSchema, list: readonly unknown[], place: string): string[] {
  for (const [at, item] of list.entries()) {
    const faults = faultsOf(items, item, `${place}[${at + 1}]`)
    if (faults.length > 0) return faults
  }
  return []
}

function faultsInObject(
  { properties = {}, required = [], additionalProperties }: ArgSchema,
  object: Readonly<Record<string, unknown>>,
  place: string,
): string[] {
  const faults = required
    .filter((name) => !Object.hasOwn(object, name))
    .map((name) => `${place}.${name}: is missing`)
  for (const [name, value] of Object.entries(object)) {
    if (faults.length > MAX_FAULTS) break
    const inside = `${place}.${plainText(name, 64)}`
    if (Object.hasOwn(properties, name)) faults.push(...faultsOf(properties[name]!, value, inside))
    else if (additionalProperties) faults.push(...faultsOf(additionalProperties, value, inside))
    else if (additionalProperties === false) faults.push(`${inside}: is unknown`)
  }
  return faults
}

/** By its own type and values, not those inside. */
function isAccepted({ type, enum: choices }: ArgSchema, value: unknown): boolean {
  if (choices) return choices.includes(value as string)
  return type === undefined || [type].flat().some((one) => isOfType(one, value))
}

function isOfType(type: JsonType, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type
  }
}

/** `a string or null`; `"day", "week" or a list`. */
function expected(schema: ArgSchema): string {
  const words = [...new Set(choicesOf(schema))]
  const shown = words.slice(0, MAX_CHOICES)
  const last = words.length > shown.length ? '…' : shown.pop()!
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`
}

function choicesOf({ anyOf, enum: values, type }: ArgSchema): string[] {
  if (anyOf) return anyOf.flatMap(choicesOf)
  if (values) return values.map((value) => JSON.stringify(value).slice(0, 64))
  return type === undefined ? ['anything'] : [type].flat().map((one) => NAMES[one])
}
