/** Checks that the role allows what the S3 driver and the log need, and nothing else. */
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

const policy = z.strictObject({
  PolicyName: z.string(),
  PolicyDocument: z.strictObject({
    Version: z.literal('2012-10-17'),
    Statement: z.array(statement),
  }),
})

const conditional = z.strictObject({
  'Fn::If': z.tuple([z.string(), policy, z.strictObject({ Ref: z.literal('AWS::NoValue') })]),
})

const policies = z.array(z.union([policy, conditional])).transform((all): Grant[] =>
  all.flatMap((each) => {
    const [onlyIf, { PolicyDocument }] = 'Fn::If' in each ? each['Fn::If'] : [null, each]
    return PolicyDocument.Statement.flatMap(({ Action, Resource, Condition = null }) =>
      Resource.flatMap((resource) => grants(Action, resource, Condition, onlyIf)),
    )
  }),
)

/** No managed policies, and no other principal may assume the role. */
const roleRules = z.strictObject({
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
    Policies: policies.superRefine((found, ctx) => {
      for (const grant of without(found, GRANTS)) ctx.addIssue(`must not allow ${describe(grant)}`)
      for (const grant of without(GRANTS, found)) ctx.addIssue(`must allow ${describe(grant)}`)
    }),
  }),
})

/** One line per problem. Any IAM resource must be a role that follows the rules. */
export function roleProblems({ Resources }: Template): string[] {
  return Object.entries(Resources)
    .filter(([, { Type }]) => Type?.startsWith('AWS::IAM::'))
    .flatMap(([name, resource]) => {
      const issues = roleRules.safeParse(resource).error?.issues ?? []
      return issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`)
    })
}

export function grantsOf({ Resources }: Template): Grant[] {
  return z.object({ Policies: policies }).parse(Resources.Role?.Properties).Policies
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
