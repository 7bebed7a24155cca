/** Schemas as models get to see them: every word is read again with every request, so few are spent. */
import * as z from 'zod'

/** As much of JSON Schema as is looked at here. */
interface JsonSchema {
  type?: unknown
  anyOf?: JsonSchema[]
  properties?: Record<string, object>
  additionalProperties?: unknown
  [keyword: string]: unknown
}

/** Says which values are taken and which come back; why one is refused, the refusal tells. */
export function schemaJson(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema, path }) {
      shorten(jsonSchema as JsonSchema)
      if (io === 'output') shortenOutput(jsonSchema as JsonSchema, path.length === 0)
    },
  }) as JsonSchema
  delete json.$schema
  return json
}

/** Bounds that nobody would cross on purpose. */
function shorten(json: JsonSchema): void {
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
  if (Number(json.minimum) <= 1) delete json.minimum
  delete json.minLength
  delete json.maxLength
  delete json.pattern
}

/** What an answer means, it shows itself. */
function shortenOutput(json: JsonSchema, isRoot: boolean): void {
  delete json.description
  if (!isRoot) delete json.additionalProperties
  if (json.properties && Object.keys(json.properties).length === 0) delete json.properties
  const [object, nothing] = json.anyOf ?? []
  if (object?.type !== 'object' || nothing?.type !== 'null') return
  delete json.anyOf
  Object.assign(json, object, { type: ['object', 'null'] })
}
