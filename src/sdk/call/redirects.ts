/** Follows redirects to downloads, without a credential. */
import { ApiError } from './api-error.ts'
import { findListed, type HostRules } from './may-reach.ts'

export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MAX_HOPS = 3

interface RedirectRules extends HostRules {
  /** Whether a text contains a credential that the run has used. */
  readonly holdsSecret?: ((text: string) => boolean) | undefined
}

/** Follows one chain of redirects. */
export class Redirects {
  readonly #name: string
  readonly #rules: RedirectRules
  readonly #seen = new Set<string>()

  constructor(name: string, rules: RedirectRules) {
    this.#name = name
    this.#rules = rules
  }

  /** @throws {ApiError} `redirect` */
  next({ status, headers }: Pick<Response, 'status' | 'headers'>, from: URL): URL {
    const refuse = (problem?: string): never => {
      const reason = problem === undefined ? '' : `: ${problem}`
      const message = `${this.#name}: the API sent a redirect, which is not followed${reason}`
      throw new ApiError('redirect', message, { status: status || undefined })
    }
    const location = headers.get('Location')
    if (this.#rules.hosts.length === 0 || location === null) return refuse()
    const url = findListed(location, this.#rules, from)
    if (typeof url === 'string') return refuse(url)
    if (this.#rules.holdsSecret?.(url.href)) return refuse('the address contains a credential')
    this.#seen.add(from.href)
    if (this.#seen.has(url.href)) return refuse('it leads back to where it came from')
    if (this.#seen.size > MAX_HOPS) return refuse(`it is the ${MAX_HOPS + 1}th in a row`)
    return url
  }
}
