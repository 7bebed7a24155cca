/** The part of a parameter's schema that is checked before a call. */
import type { ValueCheck } from '../../../../src/sdk/catalog/catalog.ts'
import { kindsOf, type Kind } from '../types/schema-kind.ts'
import type { Spec } from '../spec/spec.ts'
import { listAt, type SpecNode } from '../spec/spec-node.ts'

/** The API checks longer lists. */
const MAX_CHOICES = 100

type Choice = string | number | boolean

/** `undefined` if the schema allows no certain check. */
export function checkOf(spec: Spec, schema: unknown, at: string): ValueCheck | undefined {
  let found = spec.find(schema, at)?.node
  const [only, ...others] = found ? listAt(found, 'allOf') : []
  if (only !== undefined && others.length === 0) found = spec.find(only, at)?.node
  if (!found) return undefined
  const isCombined = ['allOf', 'oneOf', 'anyOf'].some((key) => listAt(found, key).length > 0)
  if (isCombined) return undefined

  const kinds = kindsOf(found).kinds.filter((kind) => kind !== 'null')
  const [type] = kinds
  const choices = choicesOf(found, type)
  // If type and enum contradict each other, trust the enum.
  const isTyped = kinds.length === 1 && type !== 'file' && choices.every((one) => isOf(one, type))
  if (!isTyped && choices.length === 0) return undefined
  return { ...(isTyped && { type }), ...(choices.length > 0 && { enum: choices }) }
}

function choicesOf(schema: SpecNode, type: Kind | undefined): Choice[] {
  const all = listAt(schema, 'enum').filter((choice) => choice !== null)
  const scalars = all.filter((choice): choice is Choice =>
    ['string', 'number', 'boolean'].includes(typeof choice),
  )
  // On a list, `enum` is meant for its items.
  const isClear = scalars.length === all.length && type !== 'array' && type !== 'object'
  return isClear && all.length <= MAX_CHOICES ? scalars : []
}

function isOf(choice: Choice, type: Kind | undefined): boolean {
  switch (type) {
    case 'integer':
    case 'number':
      return typeof choice === 'number'
    default:
      return typeof choice === type
  }
}
