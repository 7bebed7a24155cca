/** Evaluates a CloudFormation template, as far as ours need it. Node only. */
import {
  isFunction,
  isObject,
  type Json,
  type JsonObject,
  type Template,
} from '../../infra/lambda/read-template.ts'

/** Values known only when deploying. */
export interface Surroundings {
  readonly parameters: Readonly<Record<string, string>>
  /** Values in the secret, by key. */
  readonly secrets?: Readonly<Record<string, string>>
  /** By `Resource.Attribute`. */
  readonly attributes?: Readonly<Record<string, string>>
}

/** A parameter or rule rejects the deployment. */
export class Refused extends Error {}

const SECRET = /^\{\{resolve:secretsmanager:(.+):SecretString:(\w+)::([\w-]+)\}\}$/

/**
 * Returns the resources with all functions evaluated.
 *
 * @throws {Refused} as CloudFormation would before it creates anything.
 */
export function evaluateTemplate(template: Template, surroundings: Surroundings): JsonObject {
  const { Rules = {}, Conditions = {}, Resources } = template
  const { secrets = {}, attributes = {} } = surroundings
  const values = valuesOf(template, surroundings.parameters)
  for (const rule of Object.values(Rules) as unknown as Rule[]) assertRule(rule)
  return evaluate(Resources as unknown as JsonObject) as JsonObject

  function assertRule({ RuleCondition = true, Assertions }: Rule): void {
    if (!evaluate(RuleCondition)) return
    for (const { Assert, AssertDescription } of Assertions) {
      if (!evaluate(Assert)) throw new Refused(AssertDescription)
    }
  }

  function evaluate(value: Json): Json | undefined {
    if (typeof value === 'string') return withSecret(value)
    if (Array.isArray(value)) return listOf(value)
    if (!isObject(value)) return value
    return isFunction(value) ? call(value) : objectOf(value)
  }

  function objectOf(value: JsonObject): JsonObject {
    const entries = Object.entries(value).map(([name, inner]) => [name, evaluate(inner)] as const)
    return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined)) as JsonObject
  }

  function listOf(items: readonly Json[]): Json {
    return items.map(evaluate).filter((item) => item !== undefined)
  }

  function call(written: JsonObject): Json | undefined {
    const [name, input] = Object.entries(written)[0]!
    if (name === 'Ref') return refer(input as string)
    if (name === 'Fn::GetAtt') return attributeOf((input as string[]).join('.'))
    if (name === 'Fn::Sub') return withSecret(substitute(input as string))
    const [first, ...rest] = input as readonly Json[]
    switch (name) {
      case 'Fn::If':
        return evaluate(holds(first as string) ? rest[0]! : rest[1]!)
      case 'Fn::Equals':
        return String(evaluate(first!)) === String(evaluate(rest[0]!))
      case 'Fn::Not':
        return !evaluate(first!)
      case 'Fn::Or':
        return [first!, ...rest].some(evaluate)
      case 'Fn::Join':
        return (evaluate(rest[0]!) as string[]).join(first as string)
      default:
        throw new Error(`${name} is not known here`)
    }
  }

  function refer(name: string): Json | undefined {
    if (name === 'AWS::NoValue') return undefined
    if (name in values) return values[name]
    if (!(name in Resources) && !name.startsWith('AWS::')) throw new Error(`there is no ${name}`)
    return name
  }

  function holds(name: string): boolean {
    const condition = Conditions[name]
    if (condition === undefined) throw new Error(`there is no condition ${name}`)
    return evaluate(condition) === true
  }

  function attributeOf(name: string): string {
    return attributes[name] ?? name
  }

  function substitute(text: string): string {
    return text.replace(/\$\{([^}]+)\}/g, (_, name: string) =>
      name.includes('.') ? attributeOf(name) : String(refer(name)),
    )
  }

  function withSecret(text: string): string {
    const [isReference, arn, key, version] = SECRET.exec(text) ?? []
    if (!isReference) return text
    const isOurs = arn === values.SecretArn && version === values.SecretVersionId
    const secret = isOurs ? secrets[key!] : undefined
    if (secret === undefined) throw new Refused(`the secret has no ${key}`)
    return secret
  }
}

interface Rule {
  readonly RuleCondition?: Json
  readonly Assertions: readonly { readonly Assert: Json; readonly AssertDescription: string }[]
}

function valuesOf(
  { Parameters = {} }: Template,
  given: Readonly<Record<string, string>>,
): Record<string, Json> {
  const unknown = Object.keys(given).find((name) => !(name in Parameters))
  if (unknown !== undefined) throw new Refused(`there is no parameter ${unknown}`)
  const entries = Object.entries(Parameters).map(([name, parameter]) => {
    const text = given[name] ?? parameter.Default
    if (text === undefined) throw new Refused(`${name} is needed`)
    const isList = parameter.Type === 'CommaDelimitedList'
    const items = isList ? String(text).split(',') : [String(text)]
    for (const item of items) assertAllowed(name, parameter, item)
    return [name, isList ? items : String(text)] as const
  })
  return Object.fromEntries(entries)
}

function assertAllowed(name: string, parameter: JsonObject, text: string): void {
  const { AllowedPattern, AllowedValues, MinValue, MaxValue } = parameter
  const isAllowed =
    (AllowedPattern === undefined || new RegExp(AllowedPattern as string).test(text)) &&
    (AllowedValues === undefined || (AllowedValues as Json[]).map(String).includes(text)) &&
    (MinValue === undefined || Number(text) >= Number(MinValue)) &&
    (MaxValue === undefined || Number(text) <= Number(MaxValue))
  if (!isAllowed) throw new Refused(`${name} cannot be ${JSON.stringify(text)}`)
}
