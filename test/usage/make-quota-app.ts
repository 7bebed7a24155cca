/** An app whose tenant has quotas, and what its store holds. */
import type { StorageDriver } from '../../src/storage/driver.ts'
import { makeApp, runtimeStorage, type MakeAppOptions } from '../support/make-app.ts'
import { watchedStorage, type StorageRequest } from '../support/watched-storage.ts'

export type Quotas = Partial<
  Record<'QUOTA_BYTES' | 'QUOTA_OBJECTS' | 'QUOTA_RUNS_DAY' | 'QUOTA_API_BYTES_DAY', number>
>

/** Requests to the store about usage, in order. */
export async function makeQuotaApp(quotas: Quotas, options: MakeAppOptions = {}) {
  const requests: string[] = []
  const inner = options.storage ?? (await runtimeStorage())
  const storage = watchedStorage(inner, (request: StorageRequest, key: string) => {
    if (key.includes('/usage/')) requests.push(request)
  })
  const env = Object.fromEntries(Object.entries(quotas).map(([name, n]) => [name, String(n)]))
  const made = await makeApp({ ...options, storage, env: { ...env, ...options.env } })
  return {
    ...made,
    requests,
    /** What the tenant's callers have stored. */
    filesOf: () => storedFiles(inner, made.tenant),
    marks: () => marksOf(inner, made.tenant),
    write: (path: string, bytes: number, claims = {}) =>
      made.send(
        '/fs/write',
        {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ path, content: 'x'.repeat(bytes) }),
        },
        claims,
      ),
    remove: (path: string) =>
      made.send('/fs/delete', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ path }),
      }),
    usage: async (claims = {}) =>
      (await (await made.send('/usage', {}, claims)).json()) as Record<string, any>,
  }
}

export async function storedFiles(storage: StorageDriver, tenant: string) {
  let bytes = 0
  let objects = 0
  for (const folder of ['users', 'share', 'companion', 'default']) {
    for await (const entry of storage.list(`${tenant}/${folder}/`)) {
      if (entry.kind !== 'object') continue
      bytes += entry.object.bytes
      objects++
    }
  }
  return { bytes, objects }
}

export async function marksOf(storage: StorageDriver, tenant: string): Promise<string[]> {
  const names: string[] = []
  for await (const entry of storage.list(`${tenant}/usage/`)) {
    if (entry.kind === 'object') names.push(entry.object.key.slice(`${tenant}/usage/`.length))
  }
  return names
}
