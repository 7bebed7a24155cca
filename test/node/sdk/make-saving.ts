/** A service with one API on loopback, and a store whose objects and uploads can be listed. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { inQuery, type ApiSketches } from '../../support/make-catalog.ts'
import { watchedStorage, type StorageRequest } from '../../support/watched-storage.ts'
import { makeApiApp, type MakeApiAppOptions } from './make-api-app.ts'
import { startApi, type Answering, type TestApi } from './start-api.ts'

export const MIB = 1024 * 1024
export const SECRET = 'the-secret-of-this-api'

export interface Failing {
  readonly request: StorageRequest
  readonly from?: number
}

export const NOTHING = { sizes: {}, unfinished: [] }
export const SAVE = 'return sdk.a.get({}, {save_to = "big"})'
export const ROWS = 'return sdk.a.get({}, {save_to = "big", rows = "items"})'
export const DUMP = 'return sdk.dump(sdk.a.get, {}, {save_to = "big", rows = "items"})'

/** The API, and two hosts that downloads may come from; to be stopped by the caller. */
export async function startServers() {
  const [api, files, mirror] = [await startApi(), await startApi(), await startApi()]
  const sketches: ApiSketches = {
    a: {
      baseUrl: api.origin,
      auth: { type: 'bearer', secret: 'SECRET' },
      downloadHosts: [hostOf(files), hostOf(mirror)],
      calls: { get: { params: [inQuery('cursor')] } },
    },
  }
  const stop = () => Promise.all([api.stop(), files.stop(), mirror.stop()])
  return { api, files, mirror, sketches, stop }
}

function hostOf({ origin }: TestApi): string {
  return new URL(origin).host
}

export async function makeSaving(
  sketches: ApiSketches,
  options: MakeApiAppOptions & { readonly failing?: Failing } = {},
) {
  const inner = memoryStorage()
  const { failing, ...rest } = options
  let count = 0
  const storage = watchedStorage(inner, (request) => {
    if (request === failing?.request && ++count >= (failing.from ?? 1)) throw new Error('down')
  })
  const app = await makeApiApp(sketches, { storage, ...rest, secrets: { SECRET } })
  /** What is in the store, as sizes by name, and what is unfinished. */
  async function stored() {
    const sizes: Record<string, number> = {}
    for await (const entry of inner.list('')) {
      if (entry.kind !== 'object') continue
      sizes[entry.object.key.split('/').slice(3).join('/')] = entry.object.bytes
    }
    return { sizes, unfinished: inner.unfinishedUploads() }
  }
  return { ...app, stored }
}

/** Writes pieces for as long as there are any, as fast as they are read. */
export function sending(
  pieces: Iterable<Uint8Array | string>,
  headers: Record<string, string> = {},
  end: (response: ServerResponse) => void = (response) => response.end(),
): Answering {
  return async (_, response) => {
    const closed = new AbortController()
    response.on('close', () => closed.abort())
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers })
    for (const piece of pieces) {
      if (response.destroyed) return
      if (!response.write(piece))
        await once(response, 'drain', { signal: closed.signal }).catch(() => {})
    }
    end(response)
  }
}

export function* repeated(piece: Uint8Array | string, times = Infinity) {
  for (let i = 0; i < times; i++) yield piece
}
