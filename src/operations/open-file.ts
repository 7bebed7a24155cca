/** Opens one stored file to be sent on, so that what is told about it and its bytes are of one version. */
import type { VirtualPath } from '../files/path.ts'
import type { GetOptions, ObjectInfo } from '../storage/driver.ts'
import type { CallerFiles } from './caller-files.ts'

type ByteRange = NonNullable<GetOptions['range']>

/** Bytes on their way, with what is true of them. */
interface FileContent {
  /** Of the version the bytes belong to, which may be newer than the one first looked at. */
  readonly info: ObjectInfo
  /** What the bytes are of the file; absent means all of it. */
  readonly range?: ByteRange | undefined
  readonly body: ReadableStream<Uint8Array>
}

/** A file that was there when it was opened. */
export interface OpenedFile {
  readonly path: VirtualPath
  readonly info: ObjectInfo
  /** The range of the version that `info` tells of, or all of a newer one. */
  stream(range?: ByteRange): Promise<FileContent>
}

/** @throws {AppError} `not_found`, `conflict` for a folder, or `storage_unavailable`. */
export async function openFile(files: CallerFiles, path: VirtualPath): Promise<OpenedFile> {
  const info = (await files.head(path)) ?? (await files.refuseMissing(path))

  async function stream(range?: ByteRange): Promise<FileContent> {
    const object = (await files.getStream(path, range)) ?? (await files.refuseMissing(path))
    if (!range || object.etag === info.etag) return { info: object, range, body: object.body }
    // The range was measured on a version that is gone; in a newer one it may cut anywhere.
    await object.body.cancel()
    return stream()
  }
  return { path, info, stream }
}
