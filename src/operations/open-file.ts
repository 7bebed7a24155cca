/** Opens a stored file so that its metadata and bytes are of the same version. */
import type { VirtualPath } from '../files/path.ts'
import type { StoreRange as ByteRange } from '../files/store/area-store.ts'
import type { ObjectInfo } from '../storage/driver.ts'
import type { CallerFiles } from './caller-files.ts'

interface FileContent {
  /** Of the version that the bytes belong to, which may be newer than the one opened. */
  readonly info: ObjectInfo
  /** Absent means the whole file. */
  readonly range?: ByteRange | undefined
  readonly body: ReadableStream<Uint8Array>
}

/** Existed when opened; it may be gone by the time it is read. */
export interface OpenedFile {
  readonly path: VirtualPath
  readonly info: ObjectInfo
  /** The range if `info` is still current, else the whole newer version. */
  stream(range?: ByteRange): Promise<FileContent>
}

/** @throws {AppError} `not_found`, `conflict` for a folder, or `storage_unavailable`. */
export async function openFile(files: CallerFiles, path: VirtualPath): Promise<OpenedFile> {
  const info = (await files.head(path)) ?? (await files.refuseMissing(path))

  async function stream(range?: ByteRange): Promise<FileContent> {
    const object = (await files.getStream(path, range)) ?? (await files.refuseMissing(path))
    if (!range || object.etag === info.etag) return { info: object, range, body: object.body }
    // The range refers to a version that is gone; in a newer one it could cut anywhere.
    await object.body.cancel()
    return stream()
  }
  return { path, info, stream }
}
