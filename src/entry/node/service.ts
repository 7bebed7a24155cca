/** Settings and storage shared by the server, its threads and Lambda. */
import { InvalidConfig, type Config } from '../../config.ts'
import { Admission } from '../../operations/memory/admission.ts'
import type { Service } from '../../operations/service.ts'
import { compiled } from '../../sdk/compiled.js'
import { configureApis } from '../../sdk/call/run-apis.ts'
import { retrying } from '../../storage/retrying.ts'
import { s3Storage } from '../../storage/s3/s3.ts'

/** @throws {InvalidConfig} for another kind of store, or a missing API secret. */
export function nodeService(config: Config, lua: WebAssembly.Module, log: Service['log']): Service {
  if (!config.s3) throw new InvalidConfig('STORAGE', 'must be s3 here')
  const now = () => new Date()
  return {
    config,
    storage: retrying(s3Storage(config.s3)),
    lua,
    // One run per thread; the number of threads bounds memory.
    admission: new Admission(Infinity),
    now,
    apis: configureApis(compiled, {
      env: process.env,
      allowsLoopback: config.allowsLoopbackApis,
      now,
    }),
    log,
    // Downloads go directly to the store.
    redirectsLinks: true,
  }
}
