/** Short type names, independent of which functions are chosen. */
import { lastNameOf, refOf } from '../spec/spec.ts'
import { isNode, membersOf, nodeAt, type SpecNode } from '../spec/spec-node.ts'

const MAX_LENGTH = 80

/** `full-repository` → `FullRepository`; `io.k8s.api.core.v1.Pod` → `Pod` if unique. */
export class TypeNames {
  readonly #byRef = new Map<string, string>()
  readonly #taken = new Set<string>()

  constructor(document: SpecNode) {
    const places = {
      '#/components/schemas/': nodeAt(nodeAt(document, 'components'), 'schemas'),
      '#/definitions/': nodeAt(document, 'definitions'),
    }
    for (const [prefix, schemas] of Object.entries(places)) {
      // Aliases are never named: references are followed to the end.
      const names = membersOf(schemas)
        .filter(([, schema]) => !isNode(schema) || refOf(schema) === undefined)
        .map(([name]) => name)
      const short = shortest(names)
      for (const name of names) this.#byRef.set(prefix + name, this.unique(short.get(name)!))
    }
  }

  of(ref: string): string {
    // References may be escaped or not.
    const own = lastNameOf(ref)
    const key = ref.replace(/[^/]*$/, () => own)
    let name = this.#byRef.get(key)
    if (name === undefined) {
      name = this.unique(pascalCase(own))
      this.#byRef.set(key, name)
    }
    return name
  }

  /** Appends a number if taken; reserves the name. */
  unique(wanted: string): string {
    let name = wanted
    for (let number = 2; this.#taken.has(name); number++) name = `${wanted}${number}`
    this.#taken.add(name)
    return name
  }
}

/** Always starts with a capital letter. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const joined = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  return (/^[A-Z]/.test(joined) ? joined : `Type${joined}`).slice(0, MAX_LENGTH)
}

/** Takes as many trailing parts of dotted names as make them unique. */
function shortest(names: readonly string[]): Map<string, string> {
  const parts = new Map(names.map((name) => [name, name.split('.').filter(Boolean)]))
  const chosen = new Map<string, string>()
  let open = names
  for (let count = 1; open.length > 0; count++) {
    const groups = new Map<string, string[]>()
    for (const name of open) {
      const short = pascalCase(parts.get(name)!.slice(-count).join('.'))
      groups.set(short, groups.get(short) ?? [])
      groups.get(short)!.push(name)
    }
    open = [...groups].flatMap(([short, group]) => {
      const longer = group.filter((name) => group.length > 1 && parts.get(name)!.length > count)
      for (const name of group) if (!longer.includes(name)) chosen.set(name, short)
      return longer
    })
  }
  return chosen
}
