/** Help on APIs, functions and types, as text for people and models. */
import type { ApiInfo, Catalog, CallEntry, TypeEntry } from './catalog.ts'
import { keysOf } from '../call/check-arguments.ts'
import { findFunction } from './find-name.ts'
import { openParams } from './reserved-names.ts'
import { signatureOf } from './signature.ts'

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
