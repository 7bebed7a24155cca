/** What operations are called in Lua. */
import { isLuaKeyword } from '../../../src/sdk/catalog/lua-name.ts'
import type { Operation } from './spec/list-operations.ts'
import type { Problems } from './problems.ts'

/** Some generators write all of a path into a name; names cut short would be the same. */
const MAX_LENGTH = 400

/** `issues/list-for-repo` and `listForRepo` become words with `_` between; empty where no letter is left. */
function snakeCase(text: string): string {
  return (
    text
      .slice(0, 2 * MAX_LENGTH)
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      // `HTTPServer` has two words, `APIs` has one.
      .replace(/([A-Z]+)([A-Z](?!s(?![a-z]))[a-z])/g, '$1_$2')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, MAX_LENGTH)
      .replace(/_+$/, '')
  )
}

/**
 * A name for each operation. Those that would share one are told apart by their tags or else by their paths;
 * what cannot be told apart keeps one name, and it is for the caller to refuse it.
 */
export function nameOperations(
  operations: readonly Operation[],
  problems: Problems,
): Map<Operation, string> {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const name = luaName(snakeCase(operation.id ?? '') || nameOfPath(operation))
    groups.set(name, groups.get(name) ?? [])
    groups.get(name)!.push(operation)
  }
  const names = new Map<Operation, string>()
  const taken = new Set(groups.keys())
  for (const [name, group] of groups) {
    const apart = group.length > 1 ? tellApart(name, group, taken) : undefined
    group.forEach((operation, index) => {
      const own = apart?.[index] ?? name
      names.set(operation, own)
      taken.add(own)
      if (apart) problems.warn(operation.at, `shares the name "${name}", so it is called "${own}"`)
    })
  }
  return names
}

function tellApart(
  name: string,
  group: readonly Operation[],
  taken: ReadonlySet<string>,
): string[] | undefined {
  const ways = [
    ({ tags: [tag = ''] }: Operation) => luaName(snakeCase(`${name}_${snakeCase(tag)}`)),
    (operation: Operation) => luaName(nameOfPath(operation)),
  ]
  return ways
    .map((way) => group.map(way))
    .find((names) => new Set(names).size === names.length && !names.some((own) => taken.has(own)))
}

/** `GET /pets/{id}/toys` is `get_pets_by_id_toys`. */
function nameOfPath({ method, path }: Operation): string {
  const words = path.replace(/\{([^{}]*)\}/g, '_by_$1_')
  return snakeCase(`${method.toLowerCase()}_${snakeCase(words) || 'root'}`)
}

function luaName(name: string): string {
  if (isLuaKeyword(name)) return `${name}_`
  return /^\d/.test(name) ? `_${name}` : name
}
