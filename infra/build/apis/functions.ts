/** Lua names of operations, and which of them scripts get. */
import { isLuaKeyword, matchesGlob, didYouMean } from '../../../src/sdk/catalog/names.ts'
import type { SpecOperation } from './spec/operations.ts'
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
  operations: readonly SpecOperation[],
  problems: Problems,
): Map<SpecOperation, string> {
  const groups = new Map<string, SpecOperation[]>()
  for (const operation of operations) {
    const name = toIdentifier(snakeCase(operation.id ?? '') || pathName(operation))
    groups.set(name, groups.get(name) ?? [])
    groups.get(name)!.push(operation)
  }
  const names = new Map<SpecOperation, string>()
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
  group: readonly SpecOperation[],
  taken: ReadonlySet<string>,
): string[] | undefined {
  const ways = [
    ({ tags: [tag = ''] }: SpecOperation) => toIdentifier(snakeCase(`${name}_${snakeCase(tag)}`)),
    (operation: SpecOperation) => toIdentifier(pathName(operation)),
  ]
  return ways
    .map((way) => group.map(way))
    .find((names) => new Set(names).size === names.length && !names.some((own) => taken.has(own)))
}

/** `GET /pets/{id}/toys` is `get_pets_by_id_toys`. */
function pathName({ method, path }: SpecOperation): string {
  const words = path.replace(/\{([^{}]*)\}/g, '_by_$1_')
  return snakeCase(`${method.toLowerCase()}_${snakeCase(words) || 'root'}`)
}

function toIdentifier(name: string): string {
  if (isLuaKeyword(name)) return `${name}_`
  return /^\d/.test(name) ? `_${name}` : name
}

interface FunctionChoice {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  readonly write: boolean
}

const READ_METHODS = new Set(['GET', 'HEAD'])

/** @param at The API's table in the settings. */
export function chooseFunctions(
  names: ReadonlyMap<SpecOperation, string>,
  { include, exclude = [], write }: FunctionChoice,
  at: string,
  settings: Problems,
): SpecOperation[] {
  const operations = [...names.keys()]
  const matches = (operation: SpecOperation, pattern: string) =>
    matchesGlob(pattern, names.get(operation)!)
  const mayCall = ({ method }: SpecOperation) => write || READ_METHODS.has(method)

  let isWrong = false
  const refuse = (key: string, problem: string) => {
    isWrong = true
    settings.error(`${at}.${key}`, problem)
  }
  for (const [key, patterns] of Object.entries({ include: include ?? [], exclude })) {
    for (const pattern of patterns) {
      const matching = operations.filter((operation) => matches(operation, pattern))
      if (matching.length === 0) {
        const near = didYouMean(pattern.replace(/[*?]/g, ''), names.values())
        refuse(key, `"${pattern}" matches no function${near}`)
      } else if (key === 'include' && !matching.some(mayCall)) {
        refuse(key, `"${pattern}" matches only functions that write: set write = true`)
      }
    }
  }
  const chosen = operations.filter(
    (operation) =>
      mayCall(operation) &&
      (include ?? ['*']).some((pattern) => matches(operation, pattern)) &&
      !exclude.some((pattern) => matches(operation, pattern)),
  )
  if (chosen.length === 0 && !isWrong) {
    const onlyWrites = operations.length > 0 && !operations.some(mayCall)
    const advice = onlyWrites ? ': all of its functions write, so set write = true' : ''
    settings.error(at, `no function is left${advice}`)
  }
  return chosen
}
