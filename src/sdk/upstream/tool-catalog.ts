/** One server's tools as a catalog, for search and docs. */
import {
  Catalog,
  linesOf,
  type ApiInfo,
  type CallEntry,
  type FunctionInfo,
} from '../catalog/catalog.ts'
import { luaName } from '../catalog/lua-name.ts'
import type { UpstreamTool } from './mcp-messages.ts'
import type { Redactor } from '../secrets/redact.ts'

/** @param redactor Applied again: truncated text may only now match a secret. */
export function toolCatalog(
  api: ApiInfo,
  tools: readonly UpstreamTool[],
  redactor: Redactor,
): Catalog {
  const calls = Object.fromEntries(tools.map((tool) => [luaName(tool.name), callOf(tool)]))
  return new Catalog({
    apis: JSON.stringify([{ ...api, functions: tools.length }]),
    index: { [api.name]: redactor.text(JSON.stringify(tools.map(infoOf))) },
    calls: { [api.name]: redactor.text(linesOf(calls)) },
    types: {},
  })
}

function infoOf({ name, isReadOnly, docs }: UpstreamTool): FunctionInfo {
  return {
    name: luaName(name),
    method: isReadOnly ? 'GET' : 'POST',
    path: '',
    summary: docs?.summary ?? '',
  }
}

function callOf({ docs }: UpstreamTool): CallEntry {
  const { signature = '{ … }', description = '', params = [] } = docs ?? {}
  return {
    method: 'POST',
    path: '',
    signature,
    params,
    ...(description && { description }),
  }
}
