/** Reads a CloudFormation template and expands the short forms of its functions. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CORE_SCHEMA, defineScalarTag, defineSequenceTag, load, type TagDefinition } from 'js-yaml'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [name: string]: Json
}

/** The sections that are checked. */
export interface Template {
  readonly Parameters?: Readonly<Record<string, Parameter>>
  readonly Rules?: JsonObject
  readonly Conditions?: JsonObject
  readonly Resources: Readonly<Record<string, Resource>>
  readonly Outputs?: JsonObject
}

interface Parameter extends JsonObject {
  readonly Type: string
}

interface Resource extends JsonObject {
  readonly Type: string
}

const FOLDER = import.meta.dirname

const FUNCTIONS = [
  'And',
  'Equals',
  'GetAtt',
  'If',
  'Join',
  'Not',
  'Or',
  'Ref',
  'Select',
  'Split',
  'Sub',
]

const schema = CORE_SCHEMA.withTags(FUNCTIONS.flatMap(tagsOf))

/** @param name A file in this folder, or an absolute path. */
export function readTemplate(name: string): Template {
  return load(readFileSync(resolve(FOLDER, name), 'utf8'), { schema }) as Template
}

function tagsOf(name: string): TagDefinition[] {
  const identify = () => false
  return [
    defineScalarTag(`!${name}`, { resolve: (text) => longForm(name, text), identify }),
    defineSequenceTag<Json[], JsonObject>(`!${name}`, {
      create: () => [],
      addItem: (items, item) => void items.push(item as Json),
      finalize: (items) => longForm(name, items),
      identify,
    }),
  ]
}

/** `!GetAtt Files.Arn` as `{"Fn::GetAtt": ["Files", "Arn"]}`. */
function longForm(name: string, value: Json): JsonObject {
  if (name === 'Ref') return { Ref: value }
  const isDotted = name === 'GetAtt' && typeof value === 'string'
  return { [`Fn::${name}`]: isDotted ? value.split(/\.(.*)/s, 2) : value }
}

/** Whether CloudFormation computes the value. */
export function isFunction(value: Json | undefined): value is JsonObject {
  if (!isObject(value)) return false
  const [name = '', ...others] = Object.keys(value)
  return others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value instanceof Object && !Array.isArray(value)
}
