/** Checks that every part of a one-API catalog is usable. */
import { buildRequest } from '../../src/sdk/call/build-request.ts'
import type {
  ApiInfo,
  CallEntry,
  Catalog,
  ParamEntry,
  TypeEntry,
} from '../../src/sdk/catalog/catalog.ts'
import { checkArguments, keysOf } from '../../src/sdk/call/check-arguments.ts'
import { openParams } from '../../src/sdk/catalog/reserved-names.ts'

const MAX_PARAMS = 50
const SAMPLES = {
  integer: 1,
  number: 1.5,
  boolean: true,
  array: ['a'],
  object: { a: 1 },
  string: 'a',
}
const PLAIN_TYPES =
  'any binary boolean date datetime false integer key never null number object string true'

/** Names that cannot be written, requests that cannot be built, and missing types. */
export function faultsOf(catalog: Catalog): string[] {
  const api = catalog.apis[0]!
  const calls = Object.entries(catalog.callsOf(api.name))
  const names = catalog.functionsOf(api.name).map(({ name }) => name)
  const called = new Set(calls.map(([name]) => name))
  return [
    ...names.filter((name) => !/^[a-z_][a-z0-9_]*$/.test(name)),
    ...names.filter((name) => !called.has(name)),
    ...calls.flatMap(([name, call]) => requestFault(api, name, call)),
    ...unknownTypes(catalog.typesOf(api.name), calls),
  ]
}

function requestFault(api: ApiInfo, name: string, call: CallEntry): string[] {
  // All parameters would exceed the URL length for some calls.
  const open = openParams(api, call).filter((param, i) => param.isRequired || i < MAX_PARAMS)
  const args = Object.fromEntries(open.map((param) => [keysOf(param)[1], sample(param)]))
  try {
    checkArguments(name, api, call, args)
    const { url } = buildRequest(name, api, call, args)
    return /%7B[^&]*%7D/.test(url.pathname) ? [`${name}: ${url.pathname}`] : []
  } catch (error) {
    return [`${name}: ${(error as Error).message}`]
  }
}

function sample({ check }: ParamEntry): unknown {
  const choices = check?.enum ?? []
  return choices.find((value) => value !== '') ?? choices[0] ?? SAMPLES[check?.type ?? 'string']
}

/** Words in types that are neither known types nor field names. */
function unknownTypes(
  types: Readonly<Record<string, TypeEntry>>,
  calls: readonly [string, CallEntry][],
): string[] {
  const known = new Set([...Object.keys(types), ...PLAIN_TYPES.split(' ')])
  const texts = [
    ...Object.values(types).map(({ text }) => text),
    ...calls.flatMap(([, { params, body, returns }]) => [
      ...params.map(({ type }) => type),
      body?.type ?? 'any',
      returns ?? 'any',
    ]),
  ]
  const words = texts
    .map((text) => text.replace(/"(?:[^"\\]|\\.)*"/g, 'string').replace(/\w+\??:/g, ''))
    .flatMap((text) => (text === '' ? ['nothing'] : (text.match(/[A-Za-z_]\w*/g) ?? [])))
  return [...new Set(words)].filter((word) => !known.has(word))
}
