/** What the server, its threads and Lambda share: the settings, and the store they name. */
import { InvalidConfig, type Config } from '../../config.ts'
import { Admission } from '../../operations/run/admission.ts'
import type { Service } from '../../operations/service.ts'
import { compiled } from '../../sdk/compiled.js'
import { configureApis } from '../../sdk/catalog/configure.ts'
import { retrying } from '../../storage/retrying.ts'
import { s3Storage } from '../../storage/s3/s3.ts'

/** @throws {InvalidConfig} for settings that name another kind of store, or lack the secret of an API. */
export function nodeService(config: Config, lua: WebAssembly.Module, log: Service['log']): Service {
  if (!config.s3) throw new InvalidConfig('STORAGE', 'must be s3 here')
  const now = () => new Date()
  return {
    config,
    storage: retrying(s3Storage(config.s3)),
    lua,
    // A thread has one run at a time, and how many threads there are is decided by their memory.
    admission: new Admission(Infinity),
    now,
    apis: configureApis(compiled, {
      env: process.env,
      allowsLoopback: config.allowsLoopbackApis,
      now,
    }),
    log,
    // What the store can send itself need not pass through here.
    redirectsLinks: true,
  }
}
