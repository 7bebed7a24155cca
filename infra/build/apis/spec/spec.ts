/** A specification whose references are followed one at a time, never replaced by what they name. */
import type { Problems } from '../problems.ts'
import { isNode, member, textAt, type SpecNode } from './spec-node.ts'

const MAX_HOPS = 32

/** What a place in the document turned out to be. */
export interface Found {
  readonly node: SpecNode
  /** The last reference that led there; absent where the thing itself stood in its place. */
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
   * The object that stands at a place or is referred to there; `undefined` when there is none.
   * What leads into other files is an error, what leads nowhere a warning.
   */
  find(value: unknown, at: string): Found | undefined {
    let found = value
    let ref: string | undefined
    for (let hops = 0; isNode(found); hops++) {
      const next = refOf(found)
      if (next === undefined) return { node: found, ref }
      if (hops === MAX_HOPS) {
        this.problems.warn(at, `the reference "${next}" leads to itself`)
        return undefined
      }
      ref = next
      found = this.#target(next, at)
    }
    return undefined
  }

  #target(ref: string, at: string): unknown {
    if (!ref.startsWith('#')) {
      this.problems.error(
        at,
        `"${ref}" is in another file: bundle the specification into one file first`,
      )
      return undefined
    }
    const target = ref === '#' ? this.document : followed(this.document, ref)
    if (target === undefined) this.problems.warn(at, `the reference "${ref}" leads nowhere`)
    return target
  }
}

/** A reference is a text; specifications also have properties of that name. */
export function refOf(node: SpecNode): string | undefined {
  return textAt(node, '$ref')
}

/** The last part of a reference, as it was written in the document. */
export function lastNameOf(ref: string): string {
  return segmentsOf(ref).at(-1) ?? ''
}

function followed(document: SpecNode, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined
  return segmentsOf(ref).reduce<unknown>(member, document)
}

function segmentsOf(ref: string): string[] {
  return ref
    .slice(2)
    .split('/')
    .map((segment) => decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A lone percent sign stands for itself.
    return segment
  }
}
