/** Opens the file a short link stands for. */
import { AppError } from '../errors.ts'
import { openArea, type AreaLayout } from '../files/area.ts'
import { parsePath, type PathRules, type VirtualPath } from '../files/path.ts'
import { verifyLink } from '../links/link-token.ts'
import type { GetOptions, ObjectInfo, StorageDriver } from '../storage/driver.ts'

/** What opening a link takes from the service. */
export interface OpenLinkDeps {
  readonly storage: StorageDriver
  readonly layout: AreaLayout
  readonly paths: PathRules
  readonly linkSecrets: readonly string[]
  readonly now: () => Date
}

type ByteRange = NonNullable<GetOptions['range']>

/** Bytes on their way, with what is true of them. */
export interface FileContent {
  /** Of the version the bytes belong to, which may be newer than the one first looked at. */
  readonly info: ObjectInfo
  /** What the bytes are of the file; absent means all of it. */
  readonly range?: ByteRange | undefined
  readonly body: ReadableStream<Uint8Array>
}

/** A file that was there when the link was opened. */
export interface OpenedFile {
  readonly path: VirtualPath
  readonly info: ObjectInfo
  /** The range of the version that `info` tells of, or all of a newer one. */
  stream(range?: ByteRange): Promise<FileContent>
}

/**
 * Checks the link before the store is asked: only its holder learns whether the file exists.
 *
 * @throws {AppError} `invalid_path`, `forbidden`, `not_found` or `storage_unavailable`.
 */
export async function openLink(
  { storage, layout, paths, linkSecrets, now }: OpenLinkDeps,
  input: { readonly path: string; readonly token: string },
): Promise<OpenedFile> {
  const path = parsePath(input.path, paths)
  const { owner } = await verifyLink(linkSecrets, input.token, { purpose: 'get', path }, now())
  const area = await openArea(owner, layout)
  const key = area.keyFor(path)
  const info = await found(() => storage.head(key))

  async function stream(range?: ByteRange): Promise<FileContent> {
    const object = await found(() => storage.getStream(key, range && { range }))
    if (!range || object.etag === info.etag) return { info: object, range, body: object.body }
    // The range was measured on a version that is gone; in a newer one it may cut anywhere.
    await object.body.cancel()
    return stream()
  }
  return { path, info, stream }
}

async function found<T>(request: () => Promise<T | null>): Promise<T> {
  const object = await request().catch((cause: unknown) => {
    const message = 'The store cannot be reached right now. Try again shortly.'
    throw new AppError('storage_unavailable', message, { cause })
  })
  if (object) return object
  const message = 'There is no file of this name. It may have been removed or renamed.'
  throw new AppError('not_found', message)
}
