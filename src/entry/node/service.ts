/** Settings and storage shared by the server, its threads and Lambda. */
import { InvalidConfig, type Config } from '../../config.ts'
import { Admission } from '../../operations/memory/admission.ts'
import type { Service } from '../../operations/service.ts'
import { compiled } from '../../sdk/compiled.js'
import { configureApis } from '../../sdk/call/run-apis.ts'
import { retrying } from '../../storage/retrying.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import { folderStorage } from '../../storage/folder/folder.ts'
import { s3Storage } from '../../storage/s3/s3.ts'

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
    }),
    log,
    // Downloads go directly to the store, if it can presign.
    redirectsLinks: true,
  }
}

function storageOf({ s3, folder }: Config): StorageDriver {
  if (s3) return retrying(s3Storage(s3))
  if (folder !== undefined) return folderStorage(folder)
  throw new InvalidConfig('STORAGE', 'must be s3 or folder here')
}
