/** Safe access to untrusted documents: own members only, types checked. */

export type SpecNode = Readonly<Record<string, unknown>>

export function isNode(value: unknown): value is SpecNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Own members only. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as SpecNode)[key]
}

export function nodeAt(value: unknown, key: string): SpecNode | undefined {
  const found = member(value, key)
  return isNode(found) ? found : undefined
}

/** A non-empty string. */
export function textAt(value: unknown, key: string): string | undefined {
  const found = member(value, key)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** Empty if not a list. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = member(value, key)
  return Array.isArray(found) ? found : []
}

export function textsAt(value: unknown, key: string): string[] {
  return listAt(value, key).filter((item) => typeof item === 'string')
}

/** Empty if not an object. */
export function membersOf(value: unknown): [name: string, member: unknown][] {
  return isNode(value) ? Object.entries(value) : []
}
