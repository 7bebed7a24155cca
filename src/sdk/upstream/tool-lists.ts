/** What servers said about their tools, for a while and for everybody: never what they said to a caller's own credential. */
import type { Catalog } from '../catalog/catalog.ts'

const KEPT_MS = 120_000

/** Made once. Lists are kept, not promises of them: in workerd one request cannot wait for another's. */
export class ToolLists {
  readonly #now: () => Date
  readonly #kept = new Map<string, { readonly catalog: Catalog; readonly endsAt: number }>()

  constructor(now: () => Date) {
    this.#now = now
  }

  find(server: string): Catalog | undefined {
    const known = this.#kept.get(server)
    return known && known.endsAt > this.#now().getTime() ? known.catalog : undefined
  }

  keep(server: string, catalog: Catalog): void {
    this.#kept.set(server, { catalog, endsAt: this.#now().getTime() + KEPT_MS })
  }
}
