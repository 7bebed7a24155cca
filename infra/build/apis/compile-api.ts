/** Compiles one API's specification and settings to its part of the catalog. */
import type {
  ApiInfo,
  CallEntry,
  FunctionInfo,
  TypeEntry,
} from '../../../src/sdk/catalog/catalog.ts'
import { apiSecurity, requirementOf } from './security.ts'
import { baseUrlOf, ownServerOf } from './base-url.ts'
import { bodyEntry } from './params/body.ts'
import { chooseFunctions, nameOperations } from './functions.ts'
import { operationParams, type FrozenParams } from './params/params.ts'
import { listOperations, readPath, type SpecOperation } from './spec/operations.ts'
import { paramEntries, type ParamContext } from './params/param-entry.ts'
import type { Problems } from './problems.ts'
import { returnType, TypeWriter } from './types/type-writer.ts'
import type { ApiSettings } from './settings.ts'
import { shortText } from './short-text.ts'
import { member, nodeAt, type Spec, type SpecNode } from './spec/spec.ts'

const MAX_SUMMARY = 120
const MAX_DESCRIPTION = 240
const MAX_TAGS = 3
const MAX_TAG = 60

export interface CompiledApi {
  readonly info: ApiInfo
  readonly index: readonly FunctionInfo[]
  readonly calls: Readonly<Record<string, CallEntry>>
  readonly types: Readonly<Record<string, TypeEntry>>
}

/** Reports problems of the specification and the settings. */
export function compileApi(
  name: string,
  own: ApiSettings,
  spec: Spec,
  frozen: FrozenParams,
  settings: Problems,
): CompiledApi {
  const at = `apis.${name}`
  const names = nameOperations(listOperations(spec), spec.problems)
  const chosen = chooseFunctions(names, own, at, settings)
  const baseUrl = baseUrlOf(spec, own.base_url, at, settings)
  const auth = apiSecurity(spec, chosen, own, at, settings)
  const types = new TypeWriter(spec)
  const context = { spec, types, frozen, auth }

  const index: FunctionInfo[] = []
  const calls = new Map<string, CallEntry>()
  for (const operation of chosen) {
    const functionName = names.get(operation)!
    if (calls.has(functionName)) {
      const advice = 'give one of them another operationId, or exclude the name'
      spec.problems.error(operation.at, `is the second function named "${functionName}": ${advice}`)
    }
    const call = callEntry(context, operation, functionName, baseUrl)
    if (!call) continue
    calls.set(functionName, call)
    index.push(functionInfo(operation, functionName, call.path))
  }
  const title = shortText(member(nodeAt(spec.document, 'info'), 'title'), 80, 1) || name
  const description = shortText(member(nodeAt(spec.document, 'info'), 'description'), 200)
  const info: ApiInfo = {
    name,
    title,
    description,
    kind: 'openapi',
    baseUrl,
    ...(auth && { auth }),
    ...(own.caller_auth && { takesCallerAuth: true }),
    ...(own.download_hosts && { downloadHosts: own.download_hosts }),
    functions: index.length,
  }
  return { info, index, calls: Object.fromEntries(calls), types: types.finish() }
}

function callEntry(
  context: ParamContext,
  operation: SpecOperation,
  functionName: string,
  baseUrl: string,
): CallEntry | undefined {
  const { spec, types } = context
  const { at, method } = operation
  const params = operationParams(spec, operation)
  const declared = params.params.filter((param) => param.in === 'path').map((param) => param.name)
  const template = readPath(operation.path, new Set(declared))
  if (typeof template === 'string') {
    spec.problems.warn(operation.pathAt, `${template}; skipped`)
    return undefined
  }
  const path = ownServerOf(spec, operation, baseUrl) + template.path
  const body = bodyEntry(spec, types, operation, params, functionName)
  const returns = returnType(spec, types, operation, functionName)
  const description = descriptionOf(operation)
  return {
    method,
    path,
    params: paramEntries(context, params.params, template, functionName, at),
    ...(body && { body }),
    ...(returns !== undefined && { returns }),
    ...(requirementOf(spec, operation).isPublic && { isPublic: true }),
    ...(description && { description }),
  }
}

function functionInfo(operation: SpecOperation, name: string, path: string): FunctionInfo {
  const { node, method } = operation
  const tags = operation.tags.slice(0, MAX_TAGS).map((tag) => shortText(tag, MAX_TAG))
  return {
    name,
    method,
    path,
    summary: summaryOf(node) || `${method} ${path}`,
    ...(tags.length > 0 && { tags }),
    ...(member(node, 'deprecated') === true && { isDeprecated: true }),
  }
}

function summaryOf(node: SpecNode): string {
  const summary = shortText(member(node, 'summary'), MAX_SUMMARY, 1)
  return summary || shortText(member(node, 'description'), MAX_SUMMARY, 1)
}

/** Empty if it repeats the summary. */
function descriptionOf({ node }: SpecOperation): string {
  const description = shortText(member(node, 'description'), MAX_DESCRIPTION)
  const letters = (text: string) => text.toLowerCase().replace(/\W+/g, '')
  return letters(description) === letters(summaryOf(node)) ? '' : description
}
