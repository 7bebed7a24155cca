/** What the first comment of a saved script says: a description, and types of its arguments. */
import { plainText } from '../../sdk/catalog/schema-text.ts'
import { acceptsNull, unionOf, type ArgSchema } from './arg-schema.ts'
import { AnnotationFault, parseType } from './parse-type.ts'

/** Of a script, read to list it: longer comments are a fault. */
export const HEAD_BYTES = 8192
const MAX_PARAMS = 40
const MAX_DESCRIPTION = 500
const MAX_PARAM_TEXT = 200

export interface ScriptDescription {
  /** Empty if there is none. */
  readonly description: string
  /** Of `args`; without annotations it accepts anything. */
  readonly schema: ArgSchema
  /** Of the result, if the script says so. */
  readonly returns?: ArgSchema | undefined
  /** What is wrong with the annotations, and where; such a script does not run. */
  readonly problem?: string | undefined
}

interface CommentLine {
  /** Counted from 1. */
  readonly number: number
  /** After the three dashes. */
  readonly text: string
}

interface Annotations {
  readonly params: Map<string, Param>
  returns?: ArgSchema
}

interface Param {
  schema: ArgSchema
  readonly isOptional: boolean
  readonly text: string
}

/**
 * @param source Of the script, or its beginning: only {@link HEAD_BYTES} of it are read.
 * @param bytes Of the whole script.
 */
export function describeScript(source: Uint8Array, bytes: number): ScriptDescription {
  const head = new TextDecoder().decode(source.subarray(0, HEAD_BYTES))
  const { lines, isCut } = firstComment(head, bytes <= HEAD_BYTES)
  const firstTag = lines.findIndex(({ text }) => /^\s*[@|]/.test(text))
  const told = firstTag < 0 ? lines : lines.slice(0, firstTag)
  const description = plainText(told.map(({ text }) => text).join(' '), MAX_DESCRIPTION)
  if (isCut) {
    const problem = `the first comment is longer than ${HEAD_BYTES} bytes`
    return { description, schema: {}, problem }
  }
  const read: Annotations = { params: new Map() }
  const budget = { types: 0 }
  for (const { number, text } of lines) {
    try {
      readAnnotation(text, read, budget)
    } catch (error) {
      if (!(error instanceof AnnotationFault)) throw error
      return { description, schema: {}, problem: `line ${number}: ${error.message}` }
    }
  }
  const [untyped] = [...read.params].find(([, { schema }]) => schema.enum?.length === 0) ?? []
  if (untyped !== undefined) {
    return { description, schema: {}, problem: `${JSON.stringify(untyped)} has no type` }
  }
  return { description, schema: schemaOf(read.params), returns: read.returns }
}

/**
 * The first lines with three dashes, before any code. A comment that stands on a function is that
 * function's own.
 */
function firstComment(head: string, isWhole: boolean) {
  const lines: CommentLine[] = []
  const all = head.split(/\r?\n/)
  for (const [at, raw] of all.entries()) {
    const line = raw.trim()
    const isLast = at === all.length - 1
    // The comment, or what stands before it, goes on after the head.
    if (isLast && !isWhole && /^(?:-|$)/.test(line)) return { lines, isCut: true }
    if (/^---(?!-)/.test(line)) lines.push({ number: at + 1, text: line.slice(3) })
    else if (line === '' && lines.length > 0) break
    else if (/^(?:local\s+)?function\b/.test(line)) return { lines: [], isCut: false }
    else if (line !== '' && !line.startsWith('--') && !(at === 0 && line.startsWith('#'))) break
  }
  return { lines, isCut: false }
}

/** @throws {AnnotationFault} */
function readAnnotation(text: string, read: Annotations, budget: { types: number }): void {
  const [, tag, rest = ''] = /^\s*(@\w+|\|)(.*)$/.exec(text) ?? []
  if (tag === '@param') addParam(rest, read.params, budget)
  else if (tag === '@return' && !read.returns) {
    const { schema, rest: after } = parseType(rest, budget)
    read.returns = described(schema, textAfter(after))
  } else if (tag === '|') addChoice(rest, read.params, budget)
}

function addParam(text: string, params: Map<string, Param>, budget: { types: number }): void {
  const [whole = '', name, optional] = /^\s+([A-Za-z_]\w{0,63})(\?)?(?![\w?.])/.exec(text) ?? []
  if (name === undefined) throw new AnnotationFault('@param needs a name of letters and digits')
  if (params.has(name)) throw new AnnotationFault(`${JSON.stringify(name)} is described twice`)
  if (params.size === MAX_PARAMS) {
    throw new AnnotationFault(`there are more than ${MAX_PARAMS} parameters`)
  }
  const after = text.slice(whole.length)
  const isOptional = optional !== undefined
  // Choices may follow on lines of their own.
  if (after.trim() === '') {
    params.set(name, { schema: { enum: [] }, isOptional, text: '' })
    return
  }
  const { schema, rest } = parseType(after, budget)
  params.set(name, { schema, isOptional, text: textAfter(rest) })
}

/** `---| "x" # text` adds a choice to the parameter above. */
function addChoice(text: string, params: Map<string, Param>, budget: { types: number }): void {
  const last = [...params.values()].at(-1)
  if (!last) throw new AnnotationFault('a choice needs a @param above it')
  const { schema } = parseType(text.replace(/^[+>]/, ''), budget)
  last.schema = unionOf([last.schema, schema])
}

function schemaOf(params: Annotations['params']): ArgSchema {
  if (params.size === 0) return {}
  const entries = [...params]
  const properties = entries.map(([name, { schema, text }]) => [name, described(schema, text)])
  const required = entries.flatMap(([name, { schema, isOptional }]) =>
    isOptional || acceptsNull(schema) ? [] : [name],
  )
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as Record<string, ArgSchema>,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function described(schema: ArgSchema, text: string): ArgSchema {
  return text === '' ? schema : { ...schema, description: text }
}

/** Text may begin with `#` or `@`, which separates it from the type. */
function textAfter(rest: string): string {
  return plainText(rest.trim().replace(/^[#@]/, ''), MAX_PARAM_TEXT)
}
