/** Short names for the schemas of a specification, the same whichever functions are chosen. */
import { lastNameOf, refOf } from '../spec/spec.ts'
import { isNode, membersOf, nodeAt, type SpecNode } from '../spec/spec-node.ts'

const MAX_LENGTH = 80

/** `full-repository` is `FullRepository`, `io.k8s.api.core.v1.Pod` is `Pod` unless there are several. */
export class TypeNames {
  readonly #byRef = new Map<string, string>()
  readonly #taken = new Set<string>()

  constructor(document: SpecNode) {
    const places = {
      '#/components/schemas/': nodeAt(nodeAt(document, 'components'), 'schemas'),
      '#/definitions/': nodeAt(document, 'definitions'),
    }
    for (const [prefix, schemas] of Object.entries(places)) {
      // What only refers to another is never met: references are followed to their ends.
      const names = membersOf(schemas)
        .filter(([, schema]) => !isNode(schema) || refOf(schema) === undefined)
        .map(([name]) => name)
      const short = shortest(names)
      for (const name of names) this.#byRef.set(prefix + name, this.unique(short.get(name)!))
    }
  }

  /** The name of what a reference leads to. */
  of(ref: string): string {
    // The same schema may be written with and without escapes.
    const own = lastNameOf(ref)
    const key = ref.replace(/[^/]*$/, () => own)
    let name = this.#byRef.get(key)
    if (name === undefined) {
      name = this.unique(pascalCase(own))
      this.#byRef.set(key, name)
    }
    return name
  }

  /** The name itself, or with a number where it is taken; taken from now on. */
  unique(wanted: string): string {
    let name = wanted
    for (let number = 2; this.#taken.has(name); number++) name = `${wanted}${number}`
    this.#taken.add(name)
    return name
  }
}

/** A name as types have it; always begins with a capital letter. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const joined = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  return (/^[A-Z]/.test(joined) ? joined : `Type${joined}`).slice(0, MAX_LENGTH)
}

/** As many parts of dotted names, from their ends, as it takes to tell them apart. */
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
