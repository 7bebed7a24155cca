/** A specification with lazily resolved references. */
import type { Problems } from '../problems.ts'

const MAX_HOPS = 32

interface ResolvedNode {
  readonly node: SpecNode
  /** The last reference resolvePointer; absent if inline. */
  readonly ref?: string | undefined
}

export class Spec {
  readonly document: SpecNode
  readonly isSwagger: boolean
  readonly problems: Problems

  constructor(document: SpecNode, isSwagger: boolean, problems: Problems) {
    this.document = document
    this.isSwagger = isSwagger
    this.problems = problems
  }

  /**
   * Resolves the object at a place. References to other files are errors, unresolved ones warnings.
   */
  find(value: unknown, at: string): ResolvedNode | undefined {
    let found = value
    let ref: string | undefined
    for (let hops = 0; isNode(found); hops++) {
      const next = refOf(found)
      if (next === undefined) return { node: found, ref }
      if (hops === MAX_HOPS) {
        this.problems.warn(at, `the reference "${next}" is circular`)
        return undefined
      }
      ref = next
      found = this.#target(next, at)
    }
    return undefined
  }

  #target(ref: string, at: string): unknown {
    if (!ref.startsWith('#')) {
      this.problems.error(at, `"${ref}" is in another file: bundle the specification first`)
      return undefined
    }
    const target = ref === '#' ? this.document : resolvePointer(this.document, ref)
    if (target === undefined) this.problems.warn(at, `the reference "${ref}" is unresolved`)
    return target
  }
}

/** Only a string is a reference: properties may be named `$ref` too. */
export function refOf(node: SpecNode): string | undefined {
  return textAt(node, '$ref')
}

export function lastNameOf(ref: string): string {
  return segmentsOf(ref).at(-1) ?? ''
}

function resolvePointer(document: SpecNode, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined
  return segmentsOf(ref).reduce<unknown>(member, document)
}

function segmentsOf(ref: string): string[] {
  return ref
    .slice(2)
    .split('/')
    .map((segment) => percentDecoded(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function percentDecoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A lone percent sign is literal.
    return segment
  }
}

/** Documents are untrusted: own members only, types checked. */
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
