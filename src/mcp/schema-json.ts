/** Compact JSON schemas for models: every token is paid for with each request. */
import * as z from 'zod'

/** The subset of JSON Schema used here. */
interface JsonSchema {
  type?: unknown
  anyOf?: JsonSchema[]
  properties?: Record<string, object>
  additionalProperties?: unknown
  [keyword: string]: unknown
}

/** Only the shape of values: validation errors explain the rest. */
export function schemaJson(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      shorten(jsonSchema as JsonSchema)
      if (io === 'output') shortenOutput(jsonSchema as JsonSchema)
    },
  }) as JsonSchema
  delete json.$schema
  return json
}

/** Drops bounds that callers do not exceed in practice. */
function shorten(json: JsonSchema): void {
  if (Number(json.maximum) >= 100_000) delete json.maximum
  if (Number(json.minimum) <= 60) delete json.minimum
  delete json.minLength
  delete json.maxLength
  delete json.pattern
}

/** Drops what the output itself makes clear: which fields it has, and which of the known values. */
function shortenOutput(json: JsonSchema): void {
  delete json.description
  delete json.additionalProperties
  delete json.required
  delete json.enum
  delete json.const
  delete json.propertyNames
  if (json.properties && Object.keys(json.properties).length === 0) delete json.properties
  const [value, nothing] = json.anyOf ?? []
  if (value?.type === undefined || nothing?.type !== 'null') return
  delete json.anyOf
  Object.assign(json, value, { type: [value.type, 'null'] })
}
