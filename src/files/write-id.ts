/** Marks objects with the writes that made them, so that a run can tell whether its own got through. */
import { toHex } from '../lib/encode.ts'

type Metadata = Readonly<Record<string, string>>

const NAME = 'write-ids'

/**
 * An append leaves the marks of those before it: others may follow while an answer is still unclear, as many as fit
 * into the two kilobytes that S3 has for all metadata of an object.
 */
const MAX_BYTES = 1_800

/** As short as two that meet in one object can be without ever being the same. */
const ID_BYTES = 8

export function newWriteId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
}

/** @param before What the object holds that is only added to. */
export function markWrite(id: string, before: Metadata = {}): Metadata {
  const ids = [id, ...idsIn(before)].join(' ')
  const isCut = ids.length > MAX_BYTES
  return { [NAME]: isCut ? ids.slice(0, ids.lastIndexOf(' ', MAX_BYTES)) : ids }
}

/** The marks alone, for what takes the object's place. */
export function copyMarks(metadata: Metadata): Metadata {
  const ids = metadata[NAME]
  return ids === undefined ? {} : { [NAME]: ids }
}

/** Whether an object is what a put with this metadata made, or was only added to since. */
export function isBuiltOn(object: { readonly metadata: Metadata }, put: Metadata = {}): boolean {
  return holdsOneOf(object, new Set(idsIn(put).slice(0, 1)))
}

/** Whether one of the writes is among the last that made the object. */
export function holdsOneOf(
  object: { readonly metadata: Metadata },
  ids: ReadonlySet<string>,
): boolean {
  return idsIn(object.metadata).some((id) => ids.has(id))
}

/** The write that left the object as it is; absent for what other programs put there. */
export function lastWriteOf(object: { readonly metadata: Metadata }): string | undefined {
  return idsIn(object.metadata)[0]
}

function idsIn(metadata: Metadata): string[] {
  return metadata[NAME]?.split(' ') ?? []
}
