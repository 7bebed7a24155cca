/** Checks that the role allows what the S3 driver, background runs and the log need, no more. */
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Json, Template } from './read-template.ts'

/** One action on one resource. */
export interface Grant {
  readonly action: string
  readonly resource: Json
  readonly condition: Json
  /** The template condition that guards the policy. */
  readonly onlyIf: string | null
}

const ownAccount = { StringEquals: { 'aws:ResourceAccount': { Ref: 'AWS::AccountId' } } }
const throughS3 = {
  StringEquals: { 'kms:ViaService': { 'Fn::Sub': 's3.${AWS::Region}.amazonaws.com' } },
}

const GRANTS: readonly Grant[] = [
  ...grants(['s3:ListBucket'], arnOf('Files'), ownAccount),
  ...grants(
    ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'],
    { 'Fn::Sub': '${Files.Arn}/${KeyPrefix}*' },
    ownAccount,
  ),
  ...grants(['logs:CreateLogStream', 'logs:PutLogEvents'], arnOf('Log')),
  ...grants(['lambda:InvokeFunction'], arnOf('Function')),
  ...grants(['sqs:SendMessage'], arnOf('DeadLetters')),
  ...grants(['kms:Decrypt', 'kms:GenerateDataKey'], { Ref: 'KmsKeyArn' }, throughS3, 'HasKmsKey'),
]

const json = z.custom<Json>((value) => value !== undefined)
const oneOrMore = <T extends z.ZodType>(item: T) =>
  z.union([item, z.array(item)]).transform((value) => [value].flat() as z.output<T>[])

const statement = z.strictObject({
  Effect: z.literal('Allow'),
  Action: oneOrMore(z.string()),
  Resource: oneOrMore(json),
  Condition: json.optional(),
})

const policyDocument = z
  .strictObject({ Version: z.literal('2012-10-17'), Statement: z.array(statement) })
  .transform(({ Statement }) =>
    Statement.flatMap(({ Action, Resource, Condition = null }) =>
      Resource.flatMap((resource) => grants(Action, resource, Condition)),
    ),
  )

const policy = z.strictObject({ PolicyName: z.string(), PolicyDocument: policyDocument })

const conditional = z.strictObject({
  'Fn::If': z.tuple([z.string(), policy, z.strictObject({ Ref: z.literal('AWS::NoValue') })]),
})

const policies = z.array(z.union([policy, conditional])).transform((all): Grant[] =>
  all.flatMap((each) => {
    if (!('Fn::If' in each)) return each.PolicyDocument
    const [onlyIf, { PolicyDocument }] = each['Fn::If']
    return PolicyDocument.map((grant) => ({ ...grant, onlyIf }))
  }),
)

/** No managed policies, and no other principal may assume the role. */
const role = z.strictObject({
  Type: z.literal('AWS::IAM::Role'),
  Properties: z.strictObject({
    AssumeRolePolicyDocument: z.strictObject({
      Version: z.literal('2012-10-17'),
      Statement: z.tuple([
        z.strictObject({
          Effect: z.literal('Allow'),
          Principal: z.strictObject({ Service: z.literal('lambda.amazonaws.com') }),
          Action: z.literal('sts:AssumeRole'),
        }),
      ]),
    }),
    Policies: policies,
  }),
})

/** What the role is granted later, because it names resources that need the role. */
const rolePolicy = z.strictObject({
  Type: z.literal('AWS::IAM::RolePolicy'),
  Properties: z.strictObject({
    ...policy.shape,
    RoleName: z.strictObject({ Ref: z.literal('Role') }),
  }),
})

const RULES: Readonly<Record<string, z.ZodType<Grant[]>>> = {
  'AWS::IAM::Role': role.transform(({ Properties }) => Properties.Policies),
  'AWS::IAM::RolePolicy': rolePolicy.transform(({ Properties }) => Properties.PolicyDocument),
}

/** One line per problem. Any IAM resource must be a role or its policy, and follow the rules. */
export function roleProblems({ Resources }: Template): string[] {
  const checks = iamResources(Resources).map(([name, resource]) => {
    const checked = (RULES[resource.Type] ?? z.never()).safeParse(resource)
    return { name, issues: checked.error?.issues ?? [], found: checked.data ?? [] }
  })
  const problems = checks.flatMap(({ name, issues }) =>
    issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`),
  )
  if (problems.length > 0 || checks.length === 0) return problems
  const found = checks.flatMap((check) => check.found)
  return [
    ...without(found, GRANTS).map((grant) => `Role: must not allow ${describe(grant)}`),
    ...without(GRANTS, found).map((grant) => `Role: must allow ${describe(grant)}`),
  ]
}

const granting = z.union([
  z.object({ Policies: policies }).transform(({ Policies }) => Policies),
  z.object({ PolicyDocument: policyDocument }).transform(({ PolicyDocument }) => PolicyDocument),
])

/** Also of a template whose functions are evaluated. */
export function grantsOf({ Resources }: Template): Grant[] {
  return iamResources(Resources).flatMap(([, { Properties }]) => granting.parse(Properties))
}

function iamResources(resources: Template['Resources']) {
  return Object.entries(resources).filter(([, { Type }]) => Type?.startsWith('AWS::IAM::'))
}

function arnOf(resource: string): Json {
  return { 'Fn::GetAtt': [resource, 'Arn'] }
}

function grants(
  actions: readonly string[],
  resource: Json,
  condition: Json = null,
  onlyIf: string | null = null,
): Grant[] {
  return actions.map((action) => ({ action, resource, condition, onlyIf }))
}

function without(some: readonly Grant[], others: readonly Grant[]): Grant[] {
  return some.filter((grant) => !others.some((other) => isDeepStrictEqual(grant, other)))
}

function describe({ action, resource, condition, onlyIf }: Grant): string {
  const terms = [condition && JSON.stringify(condition), onlyIf].filter((term) => term !== null)
  return [`${action} on ${JSON.stringify(resource)}`, ...terms].join(' if ')
}
