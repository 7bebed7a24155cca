/** CloudFormation's functions as they stand in a template, and a rule for values that may be one thing only. */
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Json, JsonObject } from './read-template.ts'

export const NO_VALUE: JsonObject = { Ref: 'AWS::NoValue' }

export const ref = (name: string): JsonObject => ({ Ref: name })
export const getAtt = (resource: string, attribute: string): JsonObject => ({
  'Fn::GetAtt': [resource, attribute],
})
export const sub = (text: string): JsonObject => ({ 'Fn::Sub': text })
/** Without a second value, the property is left out where the condition does not hold. */
export const when = (condition: string, value: Json, otherwise: Json = NO_VALUE): JsonObject => ({
  'Fn::If': [condition, value, otherwise],
})

/** Whether a value is left for CloudFormation to find out. */
export function isFunction(value: Json | undefined): value is JsonObject {
  if (!isObject(value)) return false
  const [name = '', ...others] = Object.keys(value)
  return others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value instanceof Object && !Array.isArray(value)
}

/** The one value that is right. */
export function exactly(expected: Json) {
  const error = `must be ${JSON.stringify(expected)}`
  return z.unknown().refine((found) => isDeepStrictEqual(found, expected), error)
}

/** The members of a list, in any order. */
export function exactlyThese(...expected: readonly string[]) {
  return z
    .array(z.string())
    .refine(
      (found) => isDeepStrictEqual([...found].sort(), [...expected].sort()),
      `must be ${expected.join(', ')}`,
    )
}
