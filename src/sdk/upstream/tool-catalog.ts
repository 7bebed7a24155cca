/** The tools of one server as a catalog, so that they are found and read about like functions. */
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

/** @param redactor Looks once more: texts that were shortened may read as a secret only now. */
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

function infoOf({ name, isReadOnly, told }: UpstreamTool): FunctionInfo {
  return {
    name: luaName(name),
    method: isReadOnly ? 'GET' : 'POST',
    path: '',
    summary: told?.summary ?? '',
  }
}

function callOf({ told }: UpstreamTool): CallEntry {
  const { signature = '{ … }', description = '', params = [] } = told ?? {}
  return {
    method: 'POST',
    path: '',
    signature,
    params,
    ...(description && { description }),
  }
}
