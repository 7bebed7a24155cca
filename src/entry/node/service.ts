/** Settings and storage shared by the server, its threads and Lambda. */
import type { Config } from '../../config.ts'
import { Admission } from '../../operations/memory/admission.ts'
import type { Service } from '../../operations/service.ts'
import { nodeFetch, publicFetch } from '../../lib/node-fetch.ts'
import { compiled } from '../../sdk/compiled.js'
import { configureApis } from '../../sdk/call/run-apis.ts'
import { storageOf } from './storage.ts'

/** @throws {InvalidConfig} for a bound bucket, which only Workers have, or a missing API secret. */
export function nodeService(config: Config, lua: WebAssembly.Module, log: Service['log']): Service {
  const now = () => new Date()
  return {
    config,
    storage: storageOf(config),
    lua,
    // One run per thread; the number of threads bounds memory.
    admission: new Admission(Infinity),
    now,
    apis: configureApis(compiled, {
      env: process.env,
      allowsLoopback: config.allowsLoopbackApis,
      now,
      fetch: nodeFetch,
    }),
    fetchPublic: publicFetch(config.allowsLoopbackApis),
    log,
    // Downloads go directly to the store, if it can presign.
    redirectsLinks: true,
  }
}
