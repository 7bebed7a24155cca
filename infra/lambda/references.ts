/** Whether every name in a template leads somewhere, and whether anything is there for nothing. */
import { isObject } from './intrinsics.ts'
import type { Json, JsonObject, Template } from './read-template.ts'

/** A use of a name. */
interface Use {
  readonly kind: 'value' | 'attribute' | 'condition'
  readonly name: string
}

/** CloudFormation's own. */
const PSEUDO = ['AccountId', 'NoValue', 'Partition', 'Region', 'StackName', 'URLSuffix'].map(
  (name) => `AWS::${name}`,
)

/** One line for each. */
export function referenceProblems(template: Template): string[] {
  const { Parameters = {}, Conditions = {}, Resources } = template
  const uses = usesIn(template as unknown as JsonObject)
  const named = (kind: Use['kind']) =>
    uses.filter((use) => use.kind === kind).map(({ name }) => name)
  const values = [...Object.keys(Parameters), ...Object.keys(Resources), ...PSEUDO]
  const missing = (names: readonly string[], known: readonly string[]) =>
    names.filter((name) => !known.includes(name)).map((name) => `${name}: there is no such name`)
  const idle = (known: JsonObject, names: readonly string[]) =>
    Object.keys(known)
      .filter((name) => !names.includes(name))
      .map((name) => `${name}: is not used`)
  return [
    ...missing(named('value'), values),
    ...missing(named('attribute'), Object.keys(Resources)),
    ...missing(named('condition'), Object.keys(Conditions)),
    ...idle(Parameters, named('value')),
    ...idle(Conditions, named('condition')),
  ]
}

function usesIn(value: Json): Use[] {
  if (Array.isArray(value)) return value.flatMap(usesIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [...usesOf(key, inner), ...usesIn(inner)])
}

function usesOf(key: string, value: Json): Use[] {
  const [first] = Array.isArray(value) ? value : [value]
  if (typeof first !== 'string') return []
  if (key === 'Ref') return [{ kind: 'value', name: first }]
  if (key === 'Fn::GetAtt') return [{ kind: 'attribute', name: first }]
  if (key === 'Fn::If' || key === 'Condition') return [{ kind: 'condition', name: first }]
  if (key !== 'Fn::Sub') return []
  return [...first.matchAll(/\$\{([^!}]+)\}/g)].map(([, name = '']): Use => {
    const [resource = '', attribute] = name.split(/\.(.*)/s, 2)
    return { kind: attribute === undefined ? 'value' : 'attribute', name: resource }
  })
}
