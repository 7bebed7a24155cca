/** A specification with lazily resolved references. */
import type { Problems } from '../problems.ts'
import { isNode, member, textAt, type SpecNode } from './spec-node.ts'

const MAX_HOPS = 32

export interface ResolvedNode {
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
