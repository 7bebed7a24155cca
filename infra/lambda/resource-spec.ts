/** Checks a template's resource types, properties and attributes against AWS's specification. */
import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec'
import type {
  Property,
  PropertyType,
  Resource as Described,
  SpecDatabase,
} from '@aws-cdk/service-spec-types'
import { isFunction, isObject, type Json, type JsonObject, type Template } from './read-template.ts'

type Properties = Readonly<Record<string, Property>>

/** Cached: loading takes half a second. */
let loaded: Promise<SpecDatabase> | undefined

/** One line per problem. */
export async function specProblems({ Resources, ...rest }: Template): Promise<string[]> {
  const database = await (loaded ??= loadAwsServiceSpec())
  const described = new Map(
    Object.entries(Resources).map(([name, { Type }]) => [name, describe(database, Type)]),
  )
  const attributes = attributesIn({ Resources, ...rest } as unknown as JsonObject)
  return [
    ...Object.entries(Resources).flatMap(([name, { Type, Properties: found = {} }]) => {
      const resource = described.get(name)
      if (!resource) return [`${name}: AWS has no ${Type}`]
      return objectProblems(database, name, found, resource.properties)
    }),
    ...attributes
      .filter(([name, attribute]) => !(attribute in (described.get(name)?.attributes ?? {})))
      .map(([name, attribute]) => `${name}: has no attribute ${attribute}`),
  ]
}

function describe(database: SpecDatabase, type: string): Described | undefined {
  return database.lookup('resource', 'cloudFormationType', 'equals', type)[0]
}

function objectProblems(
  database: SpecDatabase,
  path: string,
  found: Json,
  properties: Properties,
): string[] {
  if (!isObject(found)) return [`${path}: must be an object`]
  const missing = Object.entries(properties).filter(
    ([name, { required }]) => required && !(name in found),
  )
  return [
    ...missing.map(([name]) => `${path}: lacks ${name}`),
    ...Object.entries(found).flatMap(([name, value]) => {
      const property = properties[name]
      if (!property) return [`${path}: has no property ${name}`]
      return valueProblems(database, `${path}.${name}`, value, property.type)
    }),
  ]
}

/** Values computed by functions are unknown, except both branches of `Fn::If`. */
function valueProblems(
  database: SpecDatabase,
  path: string,
  value: Json,
  type: PropertyType,
): string[] {
  if (isFunction(value)) {
    const [, ...choices] = (value['Fn::If'] ?? []) as readonly Json[]
    return choices.flatMap((choice) => valueProblems(database, path, choice, type))
  }
  switch (type.type) {
    case 'ref': {
      const { properties } = database.get('typeDefinition', type.reference.$ref)
      return objectProblems(database, path, value, properties)
    }
    case 'array':
      if (!Array.isArray(value)) return [`${path}: must be a list`]
      return value.flatMap((item, i) => valueProblems(database, `${path}.${i}`, item, type.element))
    case 'union': {
      const tries = type.types.map((one) => valueProblems(database, path, value, one))
      return tries.some((problems) => problems.length === 0) ? [] : (tries[0] ?? [])
    }
    case 'string':
      return isOneOf(value, type.allowedValues) && typeof value === 'string'
        ? []
        : [`${path}: cannot be ${JSON.stringify(value)}`]
    case 'integer':
    case 'number':
      return typeof value === 'number' ? [] : [`${path}: must be a number`]
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${path}: must be true or false`]
    default:
      return []
  }
}

function isOneOf(value: Json, allowed: readonly unknown[] | undefined): boolean {
  return allowed === undefined || allowed.includes(value)
}

/** Every `[resource, attribute]` that the template refers to. */
function attributesIn(value: Json): [string, string][] {
  if (Array.isArray(value)) return value.flatMap(attributesIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'Fn::GetAtt') return [inner as unknown as [string, string]]
    if (key !== 'Fn::Sub' || typeof inner !== 'string') return attributesIn(inner)
    const dotted = inner.matchAll(/\$\{(\w+)\.([\w.]+)\}/g)
    return [...dotted].map(([, name, attribute]): [string, string] => [name!, attribute!])
  })
}
