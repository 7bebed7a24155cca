/** Writes a JSON schema as a TypeScript type, with its descriptions as comments. */
import type { JsonSchema } from '../site/openapi.ts'

const NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** @throws for a keyword it does not know: a wrong type would be worse than none. */
export function typeText(schema: JsonSchema, indent = ''): string {
  const { type, anyOf, enum: values, items, properties, additionalProperties } = schema
  const union = (types: readonly string[]) => [...new Set(types)].join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (values) return union(values.map((value) => JSON.stringify(value)))
  if (anyOf) return union(anyOf.map((one) => typeText(one, indent)))
  if (typeof type === 'object') return union(type.map((one) => typeText({ ...schema, type: one })))
  if (type === undefined && Object.keys(schema).every((key) => key === 'description')) {
    return 'unknown'
  }
  if (type === 'array') return listText(typeText(items ?? {}, indent))
  if (type === 'object' && properties) return fieldsText(schema, indent)
  if (type === 'object' && typeof additionalProperties === 'object') {
    return `Record<string, ${typeText(additionalProperties, indent)}>`
  }
  const name = NAMES[type ?? '']
  if (name === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`)
  return name
}

function listText(item: string): string {
  return /^\w+$|^\{[^]*\n\s*\}$/.test(item) ? `${item}[]` : `(${item})[]`
}

function fieldsText({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, field]) => {
    const text = typeText(field, inner)
    const isOptional = !required.includes(name)
    const declared = isOptional ? `${name}?: ${orUndefined(text)}` : `${name}: ${text}`
    return `${commentText(field.description, inner)}${inner}${declared}\n`
  })
  return fields.length === 0 ? 'Record<never, never>' : `{\n${fields.join('')}${indent}}`
}

function orUndefined(text: string): string {
  return text === 'unknown' ? text : `${text} | undefined`
}

export function commentText(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`
}
