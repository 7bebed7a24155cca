/** Serialisation style of a parameter, where it is not the default. */
import type { ParamEntry } from '../../../../src/sdk/catalog/catalog.ts'
import { kindsOf } from '../types/schema-kind.ts'
import type { Param, Place } from './operation-params.ts'
import type { Spec } from '../spec/spec.ts'
import { member, textAt } from '../spec/spec-node.ts'

type Style = NonNullable<ParamEntry['style']>

/** Default first. */
const STYLES: Readonly<Record<Place, readonly Style[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** Swagger 2's equivalent. */
const COLLECTION_FORMATS: Readonly<Record<string, Pick<ParamEntry, 'style' | 'explode'>>> = {
  csv: { explode: false },
  multi: { explode: true },
  ssv: { style: 'spaceDelimited' },
  pipes: { style: 'pipeDelimited' },
}

export function styleOf(spec: Spec, param: Param): Pick<ParamEntry, 'style' | 'explode'> {
  return spec.isSwagger ? collectionFormatOf(spec, param) : openapiStyleOf(spec, param)
}

function openapiStyleOf(spec: Spec, { node, in: place, at }: Param) {
  const [usual] = STYLES[place]
  let style = textAt(node, 'style') as Style | undefined
  if (style !== undefined && !STYLES[place].includes(style)) {
    spec.problems.warn(at, `a ${place} parameter has no style ${JSON.stringify(style)}`)
    style = undefined
  }
  const explode = member(node, 'explode')
  const isUsual = explode === ((style ?? usual) === 'form')
  return {
    ...(style !== undefined && style !== usual && { style }),
    ...(typeof explode === 'boolean' && !isUsual && style !== 'deepObject' && { explode }),
  }
}

function collectionFormatOf(spec: Spec, { node, in: place, at }: Param) {
  if (place !== 'query' || !kindsOf(node).kinds.includes('array')) return {}
  const format = textAt(node, 'collectionFormat') ?? 'csv'
  const known = member(COLLECTION_FORMATS, format) as Pick<ParamEntry, 'style' | 'explode'>
  if (known) return known.explode === true ? {} : known
  spec.problems.warn(at, `the collectionFormat ${JSON.stringify(format)} is unknown; using commas`)
  return COLLECTION_FORMATS.csv!
}
