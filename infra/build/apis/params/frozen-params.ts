/** Parameters whose values the operator fixed: they are sent with every call and shown to nobody. */
import { didYouMean } from '../../../../src/sdk/catalog/nearest.ts'
import { identityOf, type Place } from './operation-params.ts'
import type { Problems } from '../problems.ts'

/** A name such as `query.account_id`, and its value. */
export interface FrozenRule {
  readonly place: Place
  readonly name: string
  readonly value: string
  /** Where it is set. */
  readonly at: string
}

/** Those of one API; its own win over those for all. */
export class FrozenParams {
  readonly #rules: ReadonlyMap<string, FrozenRule>
  readonly #known = new Set<string>()
  readonly #names = new Set<string>()

  constructor(forAll: readonly FrozenRule[], own: readonly FrozenRule[]) {
    this.#rules = new Map(
      [...forAll, ...own].map((rule) => [identityOf(rule.place, rule.name), rule]),
    )
  }

  /** What a parameter is fixed to; `undefined` when it is free. */
  valueOf(place: Place, name: string): string | undefined {
    this.#names.add(`${place}.${name}`)
    const identity = identityOf(place, name)
    this.#known.add(identity)
    return this.#rules.get(identity)?.value
  }

  /** Whether there is a parameter that a rule is about. */
  has({ place, name }: FrozenRule): boolean {
    return this.#known.has(identityOf(place, name))
  }

  /** Every parameter that was asked for. */
  get names(): Iterable<string> {
    return this.#names
  }
}

/** A mistyped name would leave the parameter to the model, so it stops the build. */
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
