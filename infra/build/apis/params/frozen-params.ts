/** Parameters fixed by the operator: sent with every call, hidden from scripts. */
import { didYouMean } from '../../../../src/sdk/catalog/nearest.ts'
import { identityOf, type Place } from './operation-params.ts'
import type { Problems } from '../problems.ts'

/** E.g. `query.account_id`. */
export interface FrozenRule {
  readonly place: Place
  readonly name: string
  readonly value: string
  /** Its path in the settings. */
  readonly at: string
}

/** One API's rules; they override the global ones. */
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
