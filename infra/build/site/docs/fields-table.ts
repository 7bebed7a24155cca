/** Renders the fields of a schema as a table. */
import type * as z from 'zod'
import { jsonSchemaOf, type JsonSchema } from '../openapi.ts'
import { meaningOf, rangeText } from './field-meanings.ts'
import { escapeHtml, inline, table } from './html.ts'

type Row = [name: string, type: string, meaning: string]

/** Nested fields follow their parent, as `limits.fuel` and `entries[].name`. */
export function fieldsTable(caption: string, schema: z.ZodType, io: 'input' | 'output'): string {
  const rows = rowsOf(jsonSchemaOf(schema, io), '')
  if (rows.length === 0) return ''
  const marked = rows.map(([name, type, meaning]) => [
    `<code>${escapeHtml(name)}</code>`,
    type,
    meaning,
  ])
  return table(caption, ['Field', 'Type', 'Meaning'], marked)
}

function rowsOf({ properties = {}, required = [] }: JsonSchema, prefix: string): Row[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = prefix + name
    const row: Row = [path, typeOf(field), meaningHtml(path, field, required.includes(name))]
    const [list, object] = [field.items, objectIn(field)]
    return [
      row,
      ...(object ? rowsOf(object, `${path}.`) : []),
      ...(list ? rowsOf(list, `${path}[].`) : []),
    ]
  })
}

/** The field itself, or the object of a nullable one. */
function objectIn(field: JsonSchema): JsonSchema | undefined {
  if (field.properties) return field
  return field.anyOf?.length === 2 ? field.anyOf.find(({ properties }) => properties) : undefined
}

function typeOf(field: JsonSchema): string {
  if (field.enum) return field.enum.map((value) => code(JSON.stringify(value))).join(' or ')
  if (field.const !== undefined) return code(JSON.stringify(field.const))
  if (field.anyOf) return [...new Set(field.anyOf.map(typeOf))].join(' or ')
  if (field.items) return `array of ${typeOf(field.items)}`
  return [field.type ?? 'any JSON'].flat().join(' or ')
}

function meaningHtml(path: string, field: JsonSchema, isRequired: boolean): string {
  const parts = [
    isRequired ? '' : '<span class="optional">optional</span>',
    inline(meaningOf(path, field)),
    rangeText(path, field),
    field.default === undefined ? '' : `Default ${code(JSON.stringify(field.default))}.`,
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`
}
