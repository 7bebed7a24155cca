/** Resolves the names that scripts write; help on them, as text for people and models. */
import { RaisedInLua } from '../../vm/script-error.ts'
import type { ApiInfo, CallEntry, Catalog, TypeEntry } from './catalog.ts'
import { didYouMean, isLuaName, quoteName } from './names.ts'
import { keysOf } from '../call/check-arguments.ts'
import { openParams } from './reserved-names.ts'

interface FoundFunction {
  readonly api: ApiInfo
  readonly entry: CallEntry
  /** Qualified: `api.function`. */
  readonly name: string
}

/** @throws {RaisedInLua} with the nearest names. */
export function findName(
  catalog: Catalog,
  name: string,
): { readonly api: string } | { readonly function: string } {
  if (catalog.apis.some((api) => api.name === name)) return { api: name }
  // A server's tools are resolved when called.
  if (serverOf(catalog, name)) return { function: name }
  return { function: findFunction(catalog, name).name }
}

/** @throws {RaisedInLua} with the nearest names. */
export function findFunction(catalog: Catalog, name: string): FoundFunction {
  const { apis } = catalog
  const dot = name.indexOf('.')
  if (dot >= 0) {
    const api = apis.find((candidate) => candidate.name === name.slice(0, dot))
    if (!api) throw unknownApi(catalog, name.slice(0, dot))
    const own = name.slice(dot + 1)
    const entry = catalog.callOf(api.name, own)
    if (entry) return { api, entry, name }
    const names = catalog.functionsOf(api.name).map((info) => info.name)
    const hint = didYouMean(own, names) || '; find one with sdk.search(question)'
    throw new RaisedInLua(`the API ${api.name} has no function ${quoteName(own)}${hint}`)
  }
  const holders = apis.flatMap((api) => {
    const entry = catalog.callOf(api.name, name)
    return entry ? [{ api, entry, name: `${api.name}.${name}` }] : []
  })
  const [only, ...others] = holders
  if (only && others.length === 0) return only
  if (!only) throw unknownApi(catalog, name)
  const choices = holders.map((holder) => `sdk.${holder.name}`).join(', ')
  throw new RaisedInLua(`several APIs have a function ${quoteName(name)}: ${choices}`)
}

/** The MCP server that qualifies a name. */
export function serverOf({ apis }: Catalog, name: string): ApiInfo | undefined {
  return apis.find((api) => api.kind === 'mcp' && name.startsWith(`${api.name}.`))
}

function unknownApi({ apis }: Catalog, name: string): RaisedInLua {
  const names = apis.map((api) => api.name)
  const near = didYouMean(name, names)
  const hint = near || `; APIs: ${names.join(', ')}`
  return new RaisedInLua(`unknown API or function ${quoteName(name)}${hint}`)
}

const MAX_LISTED = 50

/** @param name An API, a function, `<api>.<Type>`, or empty for all APIs. @throws {RaisedInLua} */
export function help(catalog: Catalog, name: string): string {
  if (name === '') return catalog.apis.map(apiLine).join('\n') || 'No APIs are configured.'
  const api = catalog.apis.find((candidate) => candidate.name === name)
  if (api) return apiHelp(catalog, api)
  const type = typeOf(catalog, name)
  return type ?? functionHelp(catalog, name)
}

/** A function, its parameters and the types it names. @throws {RaisedInLua} */
export function functionHelp(catalog: Catalog, wanted: string): string {
  const { api, entry, name } = findFunction(catalog, wanted)
  const info = catalog
    .functionsOf(api.name)
    .find((candidate) => name === `${api.name}.${candidate.name}`)
  const params = openParams(api, entry)
  return [
    `sdk.${name}${signatureOf(api, entry)}`,
    [info?.summary, entry.description].filter(Boolean).join('\n'),
    ...params
      .filter(({ description }) => description)
      .map((param) => `- ${keysOf(param)[0]}: ${param.description}`),
    ...(entry.body && entry.body.contentTypes.length > 1
      ? [`content types: ${entry.body.contentTypes.join(', ')}`]
      : []),
    ...typesOf(catalog, api, entry),
  ]
    .filter((line) => line !== '')
    .join('\n')
}

export function typeOf(catalog: Catalog, name: string): string | undefined {
  const dot = name.indexOf('.')
  const api = catalog.apis.find((candidate) => candidate.name === name.slice(0, Math.max(0, dot)))
  const own = name.slice(dot + 1)
  const type = api && catalog.typeOf(api.name, own)
  return type && typeLine(own, type)
}

export function apiHelp(catalog: Catalog, api: ApiInfo): string {
  const functions = catalog.functionsOf(api.name)
  const listed = functions.slice(0, MAX_LISTED).map(({ name, summary }) => `- ${name}: ${summary}`)
  const left = functions.length - listed.length
  const rest = left > 0 ? [`and ${left} more: use sdk.search("what you want to do")`] : []
  return [apiLine(api), ...listed, ...rest].join('\n')
}

function apiLine({ name, title, description, functions }: ApiInfo): string {
  const count = functions === null ? `tools: sdk.help("${name}")` : `${functions} functions`
  return `${name}: ${title}${description ? `. ${description}` : ''} (${count})`
}

/** One level deep: nested types have help of their own. */
function typesOf(catalog: Catalog, api: ApiInfo, entry: CallEntry): string[] {
  const texts = [
    ...openParams(api, entry).map(({ type }) => type),
    entry.body?.type ?? '',
    entry.returns ?? '',
  ]
  const named = new Set(texts.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []))
  return [...named].flatMap((name) => {
    const type = catalog.typeOf(api.name, name)
    return type ? [typeLine(name, type)] : []
  })
}

function typeLine(name: string, { text, description }: TypeEntry): string {
  return `${name} = ${text}${description ? ` -- ${description}` : ''}`
}

/** `{ owner: string, body: NewIssue } → Issue`; without what a script may not set. */
export function signatureOf(api: ApiInfo, entry: CallEntry): string {
  if (entry.signature !== undefined) return entry.signature
  const { body, returns } = entry
  const fields = openParams(api, entry).map((param) => {
    const [own, inLua] = keysOf(param)
    return `${isLuaName(own!) ? own : inLua}${param.isRequired ? '' : '?'}: ${param.type}`
  })
  if (body) fields.push(`body${body.isRequired ? '' : '?'}: ${body.type}`)
  const table = fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  return returns === undefined ? table : `${table} → ${returns}`
}
