/** Chooses the functions scripts get: by name patterns, and read-only unless `write` is set. */
import { matchesGlob } from '../../../src/sdk/catalog/glob.ts'
import { didYouMean } from '../../../src/sdk/catalog/nearest.ts'
import type { Operation } from './spec/list-operations.ts'
import type { Problems } from './problems.ts'

export interface FunctionChoice {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  readonly write: boolean
}

const READ_METHODS = new Set(['GET', 'HEAD'])

/** @param at The API's table in the settings. */
export function chooseFunctions(
  names: ReadonlyMap<Operation, string>,
  { include, exclude = [], write }: FunctionChoice,
  at: string,
  settings: Problems,
): Operation[] {
  const operations = [...names.keys()]
  const matches = (operation: Operation, pattern: string) =>
    matchesGlob(pattern, names.get(operation)!)
  const mayCall = ({ method }: Operation) => write || READ_METHODS.has(method)

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
