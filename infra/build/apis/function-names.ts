/** Lua names of operations. */
import { isLuaKeyword } from '../../../src/sdk/catalog/lua-name.ts'
import type { Operation } from './spec/list-operations.ts'
import type { Problems } from './problems.ts'

/** Generous: some generators put the whole path into a name, and truncated names collide. */
const MAX_LENGTH = 400

/** `issues/list-for-repo` and `listForRepo` become `list_for_repo`; may be empty. */
function snakeCase(text: string): string {
  return (
    text
      .slice(0, 2 * MAX_LENGTH)
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      // `HTTPServer` is two words, `APIs` is one.
      .replace(/([A-Z]+)([A-Z](?!s(?![a-z]))[a-z])/g, '$1_$2')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, MAX_LENGTH)
      .replace(/_+$/, '')
  )
}

/**
 * Duplicates are resolved by tag, then by path. Names still equal are left for the caller to
 * refuse.
 */
export function nameOperations(
  operations: readonly Operation[],
  problems: Problems,
): Map<Operation, string> {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const name = toIdentifier(snakeCase(operation.id ?? '') || pathName(operation))
    groups.set(name, groups.get(name) ?? [])
    groups.get(name)!.push(operation)
  }
  const names = new Map<Operation, string>()
  const taken = new Set(groups.keys())
  for (const [name, group] of groups) {
    const distinct = group.length > 1 ? disambiguate(name, group, taken) : undefined
    group.forEach((operation, index) => {
      const own = distinct?.[index] ?? name
      names.set(operation, own)
      taken.add(own)
      if (distinct)
        problems.warn(operation.at, `shares the name "${name}", so it is called "${own}"`)
    })
  }
  return names
}

function disambiguate(
  name: string,
  group: readonly Operation[],
  taken: ReadonlySet<string>,
): string[] | undefined {
  const ways = [
    ({ tags: [tag = ''] }: Operation) => toIdentifier(snakeCase(`${name}_${snakeCase(tag)}`)),
    (operation: Operation) => toIdentifier(pathName(operation)),
  ]
  return ways
    .map((way) => group.map(way))
    .find((names) => new Set(names).size === names.length && !names.some((own) => taken.has(own)))
}

/** `GET /pets/{id}/toys` is `get_pets_by_id_toys`. */
function pathName({ method, path }: Operation): string {
  const words = path.replace(/\{([^{}]*)\}/g, '_by_$1_')
  return snakeCase(`${method.toLowerCase()}_${snakeCase(words) || 'root'}`)
}

function toIdentifier(name: string): string {
  if (isLuaKeyword(name)) return `${name}_`
  return /^\d/.test(name) ? `_${name}` : name
}
