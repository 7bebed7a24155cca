/** Marks objects with the writes that made them, so that a run can tell whether its own got through. */

type Metadata = Readonly<Record<string, string>>

const NAME = 'write-ids'

/** An append leaves the marks of those before it: others may follow while an answer is still unclear. */
const MAX_IDS = 32

export function newWriteId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}

/** @param before What the object holds that is only added to. */
export function markWrite(id: string, before: Metadata = {}): Metadata {
  return { [NAME]: [id, ...idsIn(before)].slice(0, MAX_IDS).join(' ') }
}

/** Whether the write is one of the last that made the object. */
export function holdsWrite(object: { readonly metadata: Metadata }, id: string): boolean {
  return idsIn(object.metadata).includes(id)
}

/** Whether the object is as the write left it. */
export function isLastWrite(object: { readonly metadata: Metadata }, id: string): boolean {
  return idsIn(object.metadata)[0] === id
}

function idsIn(metadata: Metadata): string[] {
  return metadata[NAME]?.split(' ') ?? []
}
