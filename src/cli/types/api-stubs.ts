/** Definition files of the configured APIs: a class for each, its types, and its functions. */
import {
  Catalog,
  type ApiInfo,
  type CallEntry,
  type CatalogTexts,
} from '../../sdk/catalog/catalog.ts'
import { isLuaName, luaName } from '../../sdk/catalog/names.ts'
import { openParams } from '../../sdk/catalog/reserved-names.ts'
import { plainText } from '../../sdk/catalog/schema-text.ts'
import { keysOf } from '../../sdk/call/check-arguments.ts'
import { docLines, META } from './doc-lines.ts'
import { fieldsIn, luaTypeOf, type NameOf } from './type-text.ts'

const MAX_TEXT = 500

const OPTIONS = [
  '--- What a call to an API takes besides its arguments.',
  '---@class sdk.options',
  '---@field save_to? string stores the response as this file',
  '---@field rows? string the array to store, one element per line, such as "data.items"',
]

/** By API, as the text of a file each. */
export function apiStubs(texts: CatalogTexts): Map<string, string> {
  const catalog = new Catalog(texts)
  return new Map(
    catalog.apis.map((api) => [api.name, `${[META, ...stubsOf(catalog, api)].join('\n\n')}\n`]),
  )
}

/** For all APIs together. */
export const COMMON_STUBS = OPTIONS.join('\n')

function stubsOf(catalog: Catalog, api: ApiInfo): string[] {
  const base = member('sdk', api.name)
  const named = classOf(api)
  const about = [...docs(api.title), ...docs(api.description), `---@class ${named}`]
  if (api.kind === 'mcp') {
    // Its tools are known only when it is asked.
    const tools = `---@field [string] fun(args?: table, options?: sdk.options): any`
    return [[...about, tools, `${base} = {}`].join('\n')]
  }
  const types = catalog.typesOf(api.name)
  const nameOf: NameOf = (name) =>
    Object.hasOwn(types, name) ? `${named}.${luaName(name)}` : undefined
  const calls = catalog.callsOf(api.name)
  return [
    [...about, `${base} = {}`].join('\n'),
    ...Object.entries(types).map(([name, { text, description }]) =>
      [...docs(description), ...typeLines(`${named}.${luaName(name)}`, text, nameOf)].join('\n'),
    ),
    ...catalog.functionsOf(api.name).flatMap(({ name, summary, isDeprecated }) => {
      const call = calls[name]
      if (!call) return []
      const about = [
        ...docs(summary),
        ...docs(call.description),
        ...(isDeprecated ? ['---@deprecated'] : []),
      ]
      return functionStub({ api, call, nameOf, name, about })
    }),
  ]
}

function typeLines(name: string, text: string, nameOf: NameOf): string[] {
  const fields = fieldsIn(text, nameOf)
  if (!fields) return [`---@alias ${name} ${luaTypeOf(text, nameOf)}`]
  return [`---@class ${name}`, ...fields.map(({ key, type }) => `---@field ${key} ${type}`)]
}

interface FunctionParts {
  readonly api: ApiInfo
  readonly call: CallEntry
  readonly nameOf: NameOf
  readonly name: string
  readonly about: readonly string[]
}

/** The class of its arguments, and the function. */
function functionStub({ api, call, nameOf, name, about }: FunctionParts): string[] {
  const params = openParams(api, call).map((param) => {
    const [own = '', inLua = own] = keysOf(param)
    const type = luaTypeOf(param.type, nameOf)
    return { ...param, key: isLuaName(own) ? own : inLua, type }
  })
  const fields = params.map(({ key, type, isRequired, description }) =>
    `---@field ${key}${isRequired ? '' : '?'} ${type} ${plainText(description, MAX_TEXT)}`.trimEnd(),
  )
  const { body, returns } = call
  if (body) {
    fields.push(`---@field body${body.isRequired ? '' : '?'} ${luaTypeOf(body.type, nameOf)}`)
  }
  const args = `${classOf(api)}.${luaName(name)}.args`
  const isRequired = Boolean(body?.isRequired) || params.some((param) => param.isRequired)
  const stub = [
    ...about,
    `---@param args${isRequired ? '' : '?'} ${fields.length === 0 ? 'table' : args}`,
    '---@param options? sdk.options',
    ...(returns === undefined ? [] : [`---@return ${luaTypeOf(returns, nameOf)}`]),
    `${member(member('sdk', api.name), name)} = function(args, options) end`,
  ].join('\n')
  return fields.length === 0 ? [stub] : [[`---@class ${args}`, ...fields].join('\n'), stub]
}

function docs(text: string | undefined): string[] {
  const line = plainText(text, MAX_TEXT)
  return line === '' ? [] : docLines(line)
}

function classOf({ name }: ApiInfo): string {
  return `sdk.${luaName(name)}`
}

function member(base: string, name: string): string {
  return isLuaName(name) ? `${base}.${name}` : `${base}[${JSON.stringify(name)}]`
}
