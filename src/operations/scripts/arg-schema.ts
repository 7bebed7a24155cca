/** The part of JSON Schema that annotations of saved scripts become, and how unions combine. */

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null'

/** A schema without keywords accepts any JSON. */
export interface ArgSchema {
  readonly type?: JsonType | readonly JsonType[] | undefined
  readonly enum?: readonly (string | number | boolean)[] | undefined
  readonly anyOf?: readonly ArgSchema[] | undefined
  readonly items?: ArgSchema | undefined
  readonly properties?: Readonly<Record<string, ArgSchema>> | undefined
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: ArgSchema | false | undefined
  readonly description?: string | undefined
}

const NULL: ArgSchema = { type: 'null' }

/** Whatever one of the schemas accepts, as short as it can be said. */
export function unionOf(choices: readonly ArgSchema[]): ArgSchema {
  if (choices.length === 1) return choices[0]!
  if (choices.some(isAny)) return {}
  if (choices.every((choice) => choice.enum)) {
    return { enum: [...new Set(choices.flatMap((choice) => choice.enum ?? []))] }
  }
  if (choices.every(isPlain)) {
    return { type: [...new Set(choices.flatMap((choice) => choice.type ?? []))] }
  }
  return { anyOf: choices.flatMap((choice) => choice.anyOf ?? [choice]) }
}

export function nullable(schema: ArgSchema): ArgSchema {
  return unionOf([schema, NULL])
}

/** In Lua, a value that may be nil may be left out. */
export function acceptsNull(schema: ArgSchema): boolean {
  if (schema.anyOf) return schema.anyOf.some(acceptsNull)
  return isAny(schema) || [schema.type].flat().includes('null')
}

function isAny(schema: ArgSchema): boolean {
  return Object.keys(schema).length === 0
}

/** A type and nothing else. */
function isPlain(schema: ArgSchema): boolean {
  return schema.type !== undefined && Object.keys(schema).length === 1
}
