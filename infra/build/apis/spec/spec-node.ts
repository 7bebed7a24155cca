/** Reads documents that may say anything: only own members count, and nothing is taken for what it should be. */

/** An object of a specification. */
export type SpecNode = Readonly<Record<string, unknown>>

export function isNode(value: unknown): value is SpecNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member of an object or list; `undefined` when it is not its own. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as SpecNode)[key]
}

/** A member that is an object. */
export function nodeAt(value: unknown, key: string): SpecNode | undefined {
  const found = member(value, key)
  return isNode(found) ? found : undefined
}

/** A member that is a text with something in it. */
export function textAt(value: unknown, key: string): string | undefined {
  const found = member(value, key)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** A member that is a list; empty when it is anything else. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = member(value, key)
  return Array.isArray(found) ? found : []
}

/** The texts of a list. */
export function textsAt(value: unknown, key: string): string[] {
  return listAt(value, key).filter((item) => typeof item === 'string')
}

/** Names and members; none when it is no object. */
export function membersOf(value: unknown): [name: string, member: unknown][] {
  return isNode(value) ? Object.entries(value) : []
}
