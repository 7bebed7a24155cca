/** The store of a process: S3 or a folder. */
import { InvalidConfig, type Config } from '../../config.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import { folderStorage } from '../../storage/folder/folder.ts'
import { retrying } from '../../storage/retrying.ts'
import { s3Storage } from '../../storage/s3/s3.ts'

/** @throws {InvalidConfig} for a bound bucket, which only Workers have. */
export function storageOf({ s3, folder }: Config): StorageDriver {
  if (s3) return retrying(s3Storage(s3))
  if (folder !== undefined) return folderStorage(folder)
  throw new InvalidConfig('STORAGE', 'must be s3 or folder here')
}
