/** Marks objects with write ids, so a run can tell whether its write succeeded. */
import { toHex } from '../../lib/encode.ts'

type Metadata = Readonly<Record<string, string>>

const NAME = 'write-ids'

/** S3 allows 2 KB of metadata. Appends keep earlier ids, whose outcome may still be unknown. */
const MAX_BYTES = 1_800

/** Enough to rule out collisions within one object. */
const ID_BYTES = 8

export function newWriteId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
}

/** @param before Metadata of the object being appended to. */
export function markWrite(id: string, before: Metadata = {}): Metadata {
  const ids = [id, ...idsIn(before)].join(' ')
  const isCut = ids.length > MAX_BYTES
  return { [NAME]: isCut ? ids.slice(0, ids.lastIndexOf(' ', MAX_BYTES)) : ids }
}

/** Only the write ids, for an object that replaces this one. */
export function copyMarks(metadata: Metadata): Metadata {
  const ids = metadata[NAME]
  return ids === undefined ? {} : { [NAME]: ids }
}

/** Whether an object was made by a put with this metadata, or only appended to since. */
export function isBuiltOn(object: { readonly metadata: Metadata }, put: Metadata = {}): boolean {
  return holdsOneOf(object, new Set(idsIn(put).slice(0, 1)))
}

/** Whether one of the ids is among the last that wrote the object. */
export function holdsOneOf(
  object: { readonly metadata: Metadata },
  ids: ReadonlySet<string>,
): boolean {
  return idsIn(object.metadata).some((id) => ids.has(id))
}

/** The last write; absent for objects put by other programs. */
export function lastWriteOf(object: { readonly metadata: Metadata }): string | undefined {
  return idsIn(object.metadata)[0]
}

function idsIn(metadata: Metadata): string[] {
  return metadata[NAME]?.split(' ') ?? []
}
