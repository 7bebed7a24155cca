/** Shared cache of tool lists. Never holds a list fetched with a caller's own credential. */
import type { Catalog } from '../catalog/catalog.ts'

const CACHE_MS = 120_000

/** Made once. Caches lists, not promises: a workerd request cannot await another's. */
export class ToolLists {
  readonly #now: () => Date
  readonly #cache = new Map<string, { readonly catalog: Catalog; readonly endsAt: number }>()

  constructor(now: () => Date) {
    this.#now = now
  }

  find(server: string): Catalog | undefined {
    const cached = this.#cache.get(server)
    return cached && cached.endsAt > this.#now().getTime() ? cached.catalog : undefined
  }

  set(server: string, catalog: Catalog): void {
    this.#cache.set(server, { catalog, endsAt: this.#now().getTime() + CACHE_MS })
  }
}
