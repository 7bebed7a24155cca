/**
 * Where issued API keys are stored: one object by hash, which makes a key valid, and the same one
 * by tenant and id, to list and revoke it. Whatever is interrupted leaves no valid key that is not
 * listed, except one that nobody got.
 */
import { AreaStore } from '../../files/store/area-store.ts'
import { keySegment, openApiKeys, openApiKeysOf } from '../../files/store/area.ts'
import { parsePath } from '../../files/path.ts'
import type { StoredObject } from '../../storage/driver.ts'
import { areaLayout, type Service } from '../service.ts'
import { storeFailure } from '../store-failure.ts'
import { isKeyId, type KeyRecord } from './key-record.ts'

type KeyService = Pick<Service, 'config' | 'storage'>

/** Nobody waits longer for a token to be checked. */
const REQUEST_MS = 10_000

/** @throws {AppError} `storage_unavailable` */
export async function findRecord(
  service: KeyService,
  hash: string,
): Promise<KeyRecord | undefined> {
  return recordIn(await byHash(service).get(parsePath(hash)))
}

/** The keys of one tenant. Rejects with `storage_unavailable` if the store fails. */
export class TenantKeys {
  readonly #service: KeyService
  readonly #store: AreaStore

  /** @param segment The tenant's, in keys. */
  constructor(service: KeyService, segment: string) {
    this.#service = service
    this.#store = openStore(service, openApiKeysOf(segment, areaLayout(service.config)))
  }

  static async of(service: KeyService, tenant: string): Promise<TenantKeys> {
    return new TenantKeys(service, await keySegment(tenant))
  }

  async add(record: KeyRecord): Promise<void> {
    const body = new TextEncoder().encode(JSON.stringify(record))
    await byHash(this.#service).put(parsePath(record.hash), body, { ifNoneMatch: '*' })
    await this.#store.put(parsePath(record.id), body, { ifNoneMatch: '*' })
  }

  /** @param id A valid one. */
  async get(id: string): Promise<KeyRecord | undefined> {
    return recordIn(await this.#store.get(parsePath(id)))
  }

  /** Newest first. */
  async *ids(after?: string): AsyncGenerator<string> {
    const startAfter =
      after === undefined ? undefined : ({ path: parsePath(after), type: 'file' } as const)
    for await (const { path } of this.#store.list('', { startAfter })) {
      if (isKeyId(path)) yield path
    }
  }

  async remove({ id, hash }: KeyRecord): Promise<void> {
    await byHash(this.#service).remove(parsePath(hash))
    await this.#store.remove(parsePath(id))
  }
}

function byHash(service: KeyService): AreaStore {
  return openStore(service, openApiKeys(areaLayout(service.config)))
}

function openStore({ storage }: KeyService, area: ReturnType<typeof openApiKeys>): AreaStore {
  // One time limit for each request: listings have many.
  const ending = {
    get signal() {
      return AbortSignal.timeout(REQUEST_MS)
    },
  }
  return new AreaStore({ storage, area, ending, errorOf: storeFailure })
}

function recordIn(object: StoredObject | null): KeyRecord | undefined {
  return object ? (JSON.parse(new TextDecoder().decode(object.body)) as KeyRecord) : undefined
}
