/** Describes an upstream MCP tool in short single lines, whatever the server wrote. */
import type { ParamEntry } from '../catalog/catalog.ts'
import { fieldsOf, type Fields } from '../pages/page-fields.ts'
import { firstSentence, plainText } from '../catalog/plain-text.ts'
import { schemaFields, schemaText, type SchemaField } from '../catalog/schema-text.ts'

const MAX_SUMMARY = 120
const MAX_DESCRIPTION = 1000
const MAX_PARAM_DESCRIPTION = 160
const MAX_PARAM_NAME = 64
const SIGNATURE = { levels: 1, maxLength: 300 }
const RESULT = { levels: 1, maxLength: 100 }
/** For parameters whose type in the signature is just `object`. */
const INNER = { levels: 2, maxLength: 300 }

export interface ToolDescription {
  readonly summary: string
  /** Empty if the summary says it all. */
  readonly description: string
  /** `{ query: string, limit?: integer } → { hits: object[] }` */
  readonly signature: string
  readonly params: readonly ParamEntry[]
}

/** @param definition From `tools/list`. */
export function describeTool(definition: Fields): ToolDescription {
  const { title, annotations, inputSchema, outputSchema } = definition
  const whole = plainText(definition.description, MAX_DESCRIPTION)
  const heading = whole || plainText(title ?? fieldsOf(annotations).title, MAX_SUMMARY)
  const summary = plainText(firstSentence(heading), MAX_SUMMARY)
  return {
    summary,
    description: summary === whole ? '' : whole,
    signature: toolSignature(inputSchema, outputSchema),
    params: schemaFields(inputSchema, inputSchema).map((field) => paramOf(field, inputSchema)),
  }
}

function toolSignature(input: unknown, output: unknown): string {
  const text = schemaText(input, input, SIGNATURE)
  const args = text.startsWith('{') ? text : '{}'
  if (output === undefined) return args
  return `${args} → ${schemaText(output, output, RESULT)}`
}

function paramOf({ name, isRequired, schema }: SchemaField, root: unknown): ParamEntry {
  const type = schemaText(schema, root, INNER)
  const text = plainText(fieldsOf(schema).description, MAX_PARAM_DESCRIPTION)
  const inner = type.includes('{') ? type : ''
  const description = [inner, text].filter(Boolean).join(' -- ')
  return {
    name: plainText(name, MAX_PARAM_NAME),
    in: 'query',
    type,
    ...(isRequired && { isRequired }),
    ...(description && { description }),
  }
}
