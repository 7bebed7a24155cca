/** Reads and changes a JSON value at a path such as `Rules.0.Status`. */
import type { Json, JsonObject } from '../../infra/lambda/read-template.ts'

/** `undefined` if the path does not exist. */
export function at(value: Json, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>((inner, name) => (inner as JsonObject | undefined)?.[name], value)
}

/**
 * Returns a copy. Without a replacement, removes the value; `+` at the end of a path appends to a
 * list.
 */
export function changed<T>(value: T, path: string, replacement?: Json): T {
  const copy = structuredClone(value)
  const names = path.split('.')
  const last = names.pop()!
  const parent = names.length > 0 ? at(copy as Json, names.join('.')) : (copy as Json)
  if (!(parent instanceof Object)) throw new Error(`${path} leads nowhere`)
  const target = parent as Record<string, Json> | Json[]
  if (Array.isArray(target)) {
    const items = replacement === undefined ? [] : [replacement]
    target.splice(last === '+' ? target.length : Number(last), last === '+' ? 0 : 1, ...items)
  } else if (replacement === undefined) {
    if (!(last in target)) throw new Error(`${path} is not there`)
    delete target[last]
  } else target[last] = replacement
  return copy
}
