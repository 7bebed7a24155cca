/** Zod schemas as JSON Schema for OpenAPI 3.1. */
import * as z from 'zod'

export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly [keyword: string]: unknown
}

/** @param io Request or response. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      // Zod's default integer bounds are noise.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  }) as JsonSchema
  return json
}
