/** Finds resources that wait for each other, which CloudFormation would refuse to create. */
import { isObject, type Json, type Template } from './read-template.ts'

/** One line per cycle. */
export function cycleProblems({ Resources }: Template): string[] {
  const needed = new Map(
    Object.entries(Resources).map(([name, resource]) => [
      name,
      namesIn(resource).filter((other) => other in Resources),
    ]),
  )
  const isDone = new Set<string>()
  const problems: string[] = []

  function visit(name: string, path: readonly string[]): void {
    if (path.includes(name)) {
      problems.push([...path.slice(path.indexOf(name)), name].join(' needs '))
      return
    }
    if (isDone.has(name)) return
    for (const other of needed.get(name)!) visit(other, [...path, name])
    isDone.add(name)
  }

  for (const name of needed.keys()) visit(name, [])
  return problems
}

/** Everything that is referred to. */
function namesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'Ref' || key === 'DependsOn') return [inner].flat() as string[]
    if (key === 'Fn::GetAtt') return [(inner as readonly string[])[0]!]
    if (key !== 'Fn::Sub' || typeof inner !== 'string') return namesIn(inner)
    return [...inner.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!)
  })
}
