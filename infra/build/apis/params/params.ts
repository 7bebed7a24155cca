/** An operation's parameters: their values fixed by the operator, and their names in scripts. */
import type { SpecOperation } from '../spec/operations.ts'
import { isHeaderName } from '../../../../src/sdk/call/build-request.ts'
import { member, textAt, type Spec, type SpecNode } from '../spec/spec.ts'
import { didYouMean, isLuaKeyword } from '../../../../src/sdk/catalog/names.ts'
import type { Problems } from '../problems.ts'
import type { ParamEntry } from '../../../../src/sdk/catalog/catalog.ts'

export type Place = 'path' | 'query' | 'header' | 'cookie'

export interface Param {
  readonly node: SpecNode
  readonly name: string
  readonly in: Place
  readonly at: string
}

export interface OperationParams {
  readonly params: readonly Param[]
  /** Swagger 2: the body, and form fields. */
  readonly body?: Omit<Param, 'in'> | undefined
  readonly form: readonly Omit<Param, 'in'>[]
}

export const PLACES: readonly string[] = ['path', 'query', 'header', 'cookie']
/** Set by content negotiation and credentials; OpenAPI says to ignore them. */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization'])
/** Connection headers: never a script's to set. */
const CONNECTION_HEADERS =
  /^(?:connection|content-length|cookie2?|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|via|(?:proxy|sec)-.*)$/i

export function operationParams(spec: Spec, operation: SpecOperation): OperationParams {
  const params = new Map<string, Param>()
  const form = new Map<string, Omit<Param, 'in'>>()
  let body: Omit<Param, 'in'> | undefined
  const { pathItem, pathAt, node, at } = operation
  for (const [owner, ownerAt] of [
    [pathItem, pathAt],
    [node, at],
  ] as const) {
    for (const found of listParams(spec, owner, `${ownerAt}.parameters`)) {
      const { name, place } = found
      const param = { node: found.node, name, at: found.at }
      if (place === 'body' && spec.isSwagger) body = param
      else if (place === 'formData' && spec.isSwagger) form.set(name, param)
      else if (isPlace(place)) {
        const problem = problemOf(name, place)
        if (problem) spec.problems.warn(found.at, `${problem}; skipped`)
        else if (!(place === 'header' && IGNORED_HEADERS.has(name.toLowerCase()))) {
          params.set(identityOf(place, name), { ...param, in: place })
        }
      } else spec.problems.warn(found.at, `"in" is ${JSON.stringify(place)}; skipped`)
    }
  }
  return { params: [...params.values()], body, form: [...form.values()] }
}

/** Header names are case-insensitive. */
function identityOf(place: Place, name: string): string {
  return `${place}.${place === 'header' ? name.toLowerCase() : name}`
}

function listParams(spec: Spec, owner: SpecNode, at: string) {
  const list = member(owner, 'parameters')
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) {
    spec.problems.warn(at, 'must be a list; skipped')
    return []
  }
  return list.flatMap((item: unknown, index) => {
    const itemAt = `${at}[${index}]`
    const node = spec.find(item, itemAt)?.node
    const name = node && textAt(node, 'name')
    if (name !== undefined) return [{ node: node!, name, place: member(node, 'in'), at: itemAt }]
    spec.problems.warn(itemAt, 'is not a named parameter; skipped')
    return []
  })
}

export function isPlace(place: unknown): place is Place {
  return typeof place === 'string' && PLACES.includes(place)
}

function problemOf(name: string, place: Place): string | undefined {
  if (place !== 'header' && place !== 'cookie') return undefined
  if (!isHeaderName(name)) return `${JSON.stringify(name)} is not a ${place} name`
  return place === 'header' && CONNECTION_HEADERS.test(name)
    ? `"${name}" cannot be sent`
    : undefined
}

/** E.g. `query.account_id`. */
export interface FrozenRule {
  readonly place: Place
  readonly name: string
  readonly value: string
  /** Its path in the settings. */
  readonly at: string
}

/**
 * Parameters fixed by the operator: sent with every call, hidden from scripts. One API's rules;
 * they override the global ones.
 */
export class FrozenParams {
  readonly #rules: ReadonlyMap<string, FrozenRule>
  readonly #known = new Set<string>()
  readonly #names = new Set<string>()

  constructor(forAll: readonly FrozenRule[], own: readonly FrozenRule[]) {
    this.#rules = new Map(
      [...forAll, ...own].map((rule) => [identityOf(rule.place, rule.name), rule]),
    )
  }

  /** `undefined` if not frozen. */
  valueOf(place: Place, name: string): string | undefined {
    this.#names.add(`${place}.${name}`)
    const identity = identityOf(place, name)
    this.#known.add(identity)
    return this.#rules.get(identity)?.value
  }

  /** Whether any function has the parameter. */
  has({ place, name }: FrozenRule): boolean {
    return this.#known.has(identityOf(place, name))
  }

  get names(): Iterable<string> {
    return this.#names
  }
}

/** A mistyped name would leave the parameter to the model, so it fails the build. */
export function assertAllUsed(
  rules: readonly FrozenRule[],
  apis: readonly FrozenParams[],
  settings: Problems,
): void {
  for (const rule of rules) {
    if (apis.some((api) => api.has(rule))) continue
    const name = `${rule.place}.${rule.name}`
    const names = new Set(apis.flatMap((api) => [...api.names]))
    settings.error(rule.at, `no function has a parameter "${name}"${didYouMean(name, names)}`)
  }
}

/**
 * Names parameters whose own names clash or are not Lua identifiers. Frozen parameters need none.
 */
export function withKeys(params: readonly ParamEntry[]): ParamEntry[] {
  // `body` always means the request body.
  const taken = new Set(['body'])
  return params.map((param) => {
    if (param.frozen !== undefined) return param
    const { name, in: place } = param
    const inLua = luaForm(name)
    const choices = [
      ...(isUsable(inLua) ? [name] : [inLua === '' ? place : usable(inLua)]),
      `${place}_${inLua}`,
      ...Array.from({ length: params.length }, (_, at) => `${place}_${inLua}_${at + 2}`),
    ]
    const key = choices.find((choice) => !taken.has(choice) && !taken.has(luaForm(choice)))!
    taken.add(key).add(luaForm(key))
    return key === name ? param : { ...param, key }
  })
}

function luaForm(name: string): string {
  return name.replace(/[^A-Za-z0-9_]+/g, '_')
}

/** Names on Object.prototype would look like given values. */
function isUsable(name: string): boolean {
  return /^[A-Za-z_]/.test(name) && !isLuaKeyword(name) && !(name in Object.prototype)
}

function usable(name: string): string {
  return /^\d/.test(name) ? `_${name}` : `${name}_`
}
