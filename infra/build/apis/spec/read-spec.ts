/** Reads a specification from JSON or YAML and checks its version. */
import { readFileSync, statSync } from 'node:fs'
import { CORE_SCHEMA, load, mergeTag, YAMLException } from 'js-yaml'
import { BuildFailed } from '../problems.ts'
import { isNode, member, type SpecNode } from './spec.ts'

const MAX_BYTES = 64 * 1024 * 1024
const MAX_NESTING = 1000

export interface ReadSpec {
  readonly document: SpecNode
  readonly isSwagger: boolean
}

/** @param file The name in messages. @throws {BuildFailed} */
export function readSpec(path: string, file: string): ReadSpec {
  const fail = (problem: string): never => {
    throw new BuildFailed([`${file}: ${problem}`])
  }
  if (/^https?:\/\//i.test(file)) fail('must be a file: download it first')
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile()) return fail('no such file')
  if (stats.size > MAX_BYTES) fail(`has more than ${MAX_BYTES / 1024 / 1024} MB`)
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  const document = parse(text, file)
  if (!isNode(document)) return fail('is not an OpenAPI document: its top level is not an object')
  return { document, isSwagger: isSwagger(document, fail) }
}

function parse(text: string, file: string): unknown {
  const isJson = /^\s*\{/.test(text)
  try {
    if (isJson) return JSON.parse(text)
  } catch (error) {
    // YAML may also start with a brace.
    if (!/\.ya?ml$/i.test(file)) {
      throw new BuildFailed([`${file}: is not JSON: ${(error as Error).message}`])
    }
  }
  try {
    return load(text, { schema: CORE_SCHEMA.withTags(mergeTag), maxDepth: MAX_NESTING })
  } catch (error) {
    const problem = error instanceof YAMLException ? withPosition(error) : (error as Error).message
    throw new BuildFailed([`${file}: is not YAML: ${problem}`])
  }
}

function withPosition({ reason, mark }: YAMLException): string {
  return mark ? `${reason} (line ${mark.line + 1}, column ${mark.column + 1})` : reason
}

/** YAML parses an unquoted `2.0` as a number. */
function isSwagger(document: SpecNode, fail: (problem: string) => never): boolean {
  const swagger = member(document, 'swagger')
  const openapi = member(document, 'openapi')
  if (openapi === undefined && /^2(?:\.0)?$/.test(String(swagger))) return true
  if (/^3\.[0-2](?:\.|$)/.test(String(openapi))) return false
  const version = openapi ?? swagger
  if (version === undefined)
    return fail('is not an OpenAPI document: there is no "openapi" version')
  return fail(
    `has version ${JSON.stringify(version)}; supported: OpenAPI 3.0, 3.1, 3.2 and Swagger 2.0`,
  )
}
