/** Exports, imports, counts and deletes all objects of a tenant, a few at a time. */
import { createHash } from 'node:crypto'
import { inParallel } from '../../src/lib/parallel.ts'
import { PreconditionFailed, type ListedObject } from '../../src/storage/driver.ts'
import type { StorageDriver, StreamedObject } from '../../src/storage/driver.ts'
import { withTombstones } from '../../src/files/store/with-tombstones.ts'
import { otherFile, type ExportedObject, type ExportFolder } from './manifest.ts'

/** All keys of the tenant begin with the prefix, which ends in a slash. */
export interface TenantPlace {
  readonly storage: StorageDriver
  readonly prefix: string
}

/** What was done, and what was not. */
export interface Summary {
  done: number
  bytes: number
  /** Was done before. */
  skipped: number
  readonly problems: string[]
}

export type Report = (summary: Summary) => void

const BATCH = 200
const ROOM = { jobs: 8, bytes: 64 * 1024 * 1024 }
/** Larger objects go in parts: stores take no more at once. */
const MAX_PUT_BYTES = 1024 ** 3
const PART_BYTES = 64 * 1024 * 1024
/** While something still writes there, deleting does not end. */
const MAX_PASSES = 5

/** Objects that are there already in this version are skipped, so that it can be repeated. */
export async function exportTenant(
  place: TenantPlace,
  folder: ExportFolder,
  report: Report,
): Promise<Summary> {
  const storage = withTombstones(place.storage)
  const summary = newSummary()
  const found = new Set<string>()
  await eachObject({ ...place, storage }, summary, report, async (listed, key) => {
    found.add(key)
    const known = folder.get(key)
    const isKnown = known?.etag === listed.etag && known.bytes === listed.bytes
    if (isKnown && folder.has(known)) return void summary.skipped++
    const object = await storage.getStream(listed.key)
    // Deleted meanwhile.
    if (!object) return void found.delete(key)
    const { file, sha256 } = await writeFile(folder, key, object, () =>
      storage.getStream(listed.key),
    )
    const { bytes, etag, metadata, contentType: content_type } = object
    const modified_at = object.modifiedAt.toISOString()
    folder.add({ key, file, bytes, sha256, content_type, metadata, modified_at, etag })
    summary.done++
    summary.bytes += bytes
  })
  if (summary.problems.length === 0) await folder.finish((key) => found.has(key))
  return summary
}

/** Under its readable name, if the file system takes it. */
async function writeFile(
  folder: ExportFolder,
  key: string,
  { body }: StreamedObject,
  again: () => Promise<StreamedObject | null>,
): Promise<{ file: string; sha256: string }> {
  const file = folder.fileFor(key)
  try {
    return { file, sha256: await folder.write(file, body) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isName = ['ENAMETOOLONG', 'ENOTDIR', 'EISDIR', 'EEXIST', 'EINVAL', 'ENOTEMPTY']
    if (!code || !isName.includes(code)) throw error
    if (!body.locked) await body.cancel()
    const object = await again()
    if (!object) throw error
    const other = otherFile(key)
    return { file: other, sha256: await folder.write(other, object.body) }
  }
}

/** @param overwrites Whether it replaces objects that differ; else they are problems. */
export async function importTenant(
  { storage, prefix }: TenantPlace,
  folder: ExportFolder,
  overwrites: boolean,
  report: Report,
): Promise<Summary> {
  const summary = newSummary()
  const importObject = async (object: ExportedObject) => {
    const key = prefix + object.key
    const current = await storage.head(key)
    if (current && isSame(current, object)) return void summary.skipped++
    if (current && !overwrites) throw new Error('exists and differs; --overwrite replaces it')
    const hash = createHash('sha256')
    await put(storage, key, hashed(folder.read(object), hash), object, overwrites)
    if (hash.digest('hex') !== object.sha256) {
      await storage.delete(key)
      throw new Error('the file is not as it was exported')
    }
    summary.done++
    summary.bytes += object.bytes
  }
  const objects = folder.all()
  for (let at = 0; at < objects.length; at += BATCH) {
    const batch = objects.slice(at, at + BATCH)
    await inParallel(batch, ROOM, roomOf, (object) =>
      importObject(object).catch(problemIn(summary, object.key)),
    )
    report(summary)
  }
  return summary
}

/** The same write: ids in the metadata are unique. Objects of other programs have none. */
function isSame(
  current: { readonly bytes: number; readonly metadata: Readonly<Record<string, string>> },
  { bytes, metadata }: ExportedObject,
): boolean {
  const entries = (of: object) => JSON.stringify(Object.entries(of).sort())
  const isMarked = Object.keys(metadata).length > 0
  return isMarked && current.bytes === bytes && entries(current.metadata) === entries(metadata)
}

async function put(
  storage: StorageDriver,
  key: string,
  body: ReadableStream<Uint8Array>,
  { bytes, content_type: contentType, metadata }: ExportedObject,
  overwrites: boolean,
): Promise<void> {
  if (bytes <= MAX_PUT_BYTES) {
    const condition = overwrites ? {} : { ifNoneMatch: '*' as const }
    await storage.putStream(key, body, { bytes, contentType, metadata, ...condition })
    return
  }
  const upload = await storage.createUpload(key, { contentType, metadata })
  try {
    let number = 1
    for await (const part of partsOf(body)) await upload.putPart(number++, part)
    await upload.complete()
  } catch (error) {
    await upload.abort()
    throw error
  }
}

async function* partsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = []
  let length = 0
  for await (let chunk of body) {
    while (length + chunk.length >= PART_BYTES) {
      const end = PART_BYTES - length
      yield Buffer.concat([...chunks, chunk.subarray(0, end)])
      chunk = chunk.subarray(end)
      chunks = []
      length = 0
    }
    chunks.push(chunk)
    length += chunk.length
  }
  if (length > 0) yield Buffer.concat(chunks)
}

function hashed(
  body: ReadableStream<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        hash.update(chunk)
        controller.enqueue(chunk)
      },
    }),
  )
}

/** Repeats until nothing is left, because runs may still write. */
export async function deleteTenant(place: TenantPlace, report: Report): Promise<Summary> {
  const summary = newSummary()
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = summary.done
    await eachObject(place, summary, report, async ({ key, bytes }) => {
      await place.storage.delete(key)
      summary.done++
      summary.bytes += bytes
    })
    if (summary.done === before || summary.problems.length > 0) return summary
  }
  summary.problems.push('something still writes for this tenant: stop it, and delete again')
  return summary
}

/** Objects and bytes by area, and of what the service keeps beside the areas. */
export async function tenantUsage(
  place: TenantPlace,
): Promise<Map<string, { objects: number; bytes: number }>> {
  const usage = new Map<string, { objects: number; bytes: number }>()
  const storage = withTombstones(place.storage)
  for await (const entry of storage.list(place.prefix)) {
    if (entry.kind !== 'object') continue
    const [first, second] = entry.object.key.slice(place.prefix.length).split('/')
    const area = first === 'users' ? `${first}/${second}` : first!
    const { objects, bytes } = usage.get(area) ?? { objects: 0, bytes: 0 }
    usage.set(area, { objects: objects + 1, bytes: bytes + entry.object.bytes })
  }
  return usage
}

/** @param work Gets the object, and its key below the tenant. */
async function eachObject(
  { storage, prefix }: TenantPlace,
  summary: Summary,
  report: Report,
  work: (object: ListedObject, key: string) => Promise<void>,
): Promise<void> {
  let batch: ListedObject[] = []
  const flush = async () => {
    await inParallel(batch, ROOM, roomOf, (object) => {
      const key = object.key.slice(prefix.length)
      return work(object, key).catch(problemIn(summary, key))
    })
    batch = []
    report(summary)
  }
  for await (const entry of storage.list(prefix)) {
    if (entry.kind === 'object') batch.push(entry.object)
    if (batch.length === BATCH) await flush()
  }
  await flush()
}

/** Streams hold a few chunks of an object, whatever its size. */
const roomOf = ({ bytes }: { readonly bytes: number }) => Math.min(bytes, ROOM.bytes / ROOM.jobs)

function newSummary(): Summary {
  return { done: 0, bytes: 0, skipped: 0, problems: [] }
}

function problemIn(summary: Summary, key: string) {
  return (error: unknown) => {
    const exists = error instanceof PreconditionFailed && 'exists; --overwrite replaces it'
    summary.problems.push(`${key}: ${exists || (error as Error).message}`)
  }
}
