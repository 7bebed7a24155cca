/** `npm run check:lambda` notices a role that may do more or less, and what AWS does not have. */
import { describe, expect, it } from 'vitest'
import { templateProblems } from '../../../infra/lambda/check-template.ts'
import { readTemplate, type Json } from '../../../infra/lambda/read-template.ts'
import { changed } from '../../support/json-path.ts'

const template = readTemplate('template.yaml')

/** What is changed, where, to what (nothing removes it), and what the complaint names. */
type Mutation = readonly [title: string, path: string, value: Json | undefined, named: string]

const FILES = 'Resources.Files.Properties'
const POLICIES = 'Resources.Role.Properties.Policies'
const STATEMENTS = `${POLICIES}.0.PolicyDocument.Statement`
const OBJECTS = `${STATEMENTS}.1`
const RUNS = 'Resources.RunsPolicy.Properties'
const INVOKED = `${RUNS}.PolicyDocument.Statement.0`
const FUNCTION = 'Resources.Function.Properties'
const URL_PROPERTIES = 'Resources.Url.Properties'
const TRUST = 'AssumeRolePolicyDocument'
const TRUSTED = `Resources.Role.Properties.${TRUST}.Statement.0.Principal`
const OTHER_FILES = 'arn:aws:s3:::other/*'
const OWN_FILES: Json = { 'Fn::Sub': '${Files.Arn}/${KeyPrefix}*' }
const anything: Json = { Effect: 'Allow', Action: '*', Resource: '*' }

const ROLE: readonly Mutation[] = [
  ['one more action', `${OBJECTS}.Action.+`, 's3:PutObjectAcl', 's3:PutObjectAcl'],
  ['reading old versions', `${OBJECTS}.Action.+`, 's3:GetObjectVersion', 's3:GetObjectVersion'],
  ['every action on objects', `${OBJECTS}.Action`, 's3:*', 's3:*'],
  ['a wildcard for one action', `${OBJECTS}.Action.0`, 's3:Get*', 's3:Get*'],
  ['an action less', `${OBJECTS}.Action.3`, undefined, 'must allow s3:AbortMultipartUpload'],
  ['every bucket', `${OBJECTS}.Resource`, '*', '"*"'],
  ['a second bucket', `${OBJECTS}.Resource`, [OWN_FILES, OTHER_FILES], 'arn:aws:s3:::other'],
  ['any account', `${OBJECTS}.Condition`, undefined, 'must not allow s3:GetObject'],
  ['listing every bucket', `${STATEMENTS}.0.Resource`, '*', 's3:ListBucket'],
  ['all but some actions', `${OBJECTS}.NotAction`, 's3:DeleteBucket', 'NotAction'],
  ['one more statement', `${STATEMENTS}.+`, anything, 'must not allow *'],
  ['one more policy', `${POLICIES}.+`, policy(anything), 'must not allow *'],
  ['the key without a key', `${POLICIES}.2`, policy(anything), 'must not allow *'],
  [
    'the key for more than S3',
    `${POLICIES}.2.Fn::If.1.PolicyDocument.Statement.0.Condition`,
    undefined,
    'kms:',
  ],
  ['logs of others', `${POLICIES}.1.PolicyDocument.Statement.0.Resource`, '*', 'logs:'],
  ['invoking every function', `${INVOKED}.Resource`, '*', 'lambda:InvokeFunction'],
  ['changing the function', `${INVOKED}.Action`, 'lambda:*', 'lambda:*'],
  ['no background runs', 'Resources.RunsPolicy', undefined, 'must allow lambda:InvokeFunction'],
  ['the policy of another role', `${RUNS}.RoleName`, 'admin', 'RoleName'],
  [
    'a managed policy',
    'Resources.Role.Properties.ManagedPolicyArns',
    ['arn:aws:iam::aws:policy/AmazonS3FullAccess'],
    'ManagedPolicyArns',
  ],
  ['everybody as the role', TRUSTED, '*', TRUST],
  ['another account as the role', `${TRUSTED}.AWS`, '210987654321', TRUST],
  [
    'a side door for the role',
    'Resources.Other',
    {
      Type: 'AWS::IAM::Policy',
      Properties: { PolicyName: 'x', PolicyDocument: { Statement: [anything] } },
    },
    'Other',
  ],
]

/** Not unsafe, but CloudFormation would stop half-way. */
const MISTAKES: readonly Mutation[] = [
  ['a type AWS does not have', 'Resources.Log.Type', 'AWS::Logs::Group', 'AWS has no AWS::Logs'],
  ['a property AWS does not have', `${FUNCTION}.MemoryMb`, 512, 'has no property MemoryMb'],
  ['a required property missing', `${URL_PROPERTIES}.AuthType`, undefined, 'lacks AuthType'],
  [
    'a nested property AWS does not have',
    `${FILES}.CorsConfiguration.CorsRules.1.ExposeHeaders`,
    [],
    'has no property ExposeHeaders',
  ],
  ['a value AWS does not know', `${URL_PROPERTIES}.InvokeMode`, 'STREAM', 'cannot be "STREAM"'],
  ['a number in quotes', `${FUNCTION}.Timeout`, '60', 'must be a number'],
  [
    'a role that waits for the function that waits for it',
    `${STATEMENTS}.0.Resource`,
    { 'Fn::GetAtt': ['Function', 'Arn'] },
    'Role needs Function needs Role',
  ],
  [
    'an attribute AWS does not have',
    'Outputs.Url.Value',
    { 'Fn::GetAtt': ['Url', 'Address'] },
    'has no attribute Address',
  ],
]

describe.each([
  ['the role', ROLE],
  ['the template', MISTAKES],
])('a change of %s is noticed:', (_, mutations) => {
  it.each(mutations)('%s', async (_title, path, value, named) => {
    const problems = await templateProblems(changed(template, path, value))
    expect(problems.join('\n')).toContain(named)
  })
})

it('no value can be removed or made a wildcard unnoticed in the role', async () => {
  const leaves = ['Role', 'RunsPolicy'].flatMap((name) =>
    leavesOf(template.Resources[name]!, `Resources.${name}`),
  )
  const unnoticed: string[] = []
  // Names are for people.
  for (const [path, before] of leaves.filter(([each]) => !each.endsWith('.PolicyName'))) {
    for (const value of before === '*' ? [undefined] : [undefined, '*']) {
      const problems = await templateProblems(changed(template, path, value))
      if (problems.length === 0) unnoticed.push(path)
    }
  }
  expect(leaves.length).toBeGreaterThan(20)
  expect(unnoticed).toEqual([])
})

function policy(statement: Json): Json {
  return { PolicyName: 'other', PolicyDocument: { Version: '2012-10-17', Statement: [statement] } }
}

/** Every value that holds no others, by its path. */
function leavesOf(value: Json, path: string): [string, Json][] {
  if (!(value instanceof Object)) return [[path, value]]
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, `${path}.${name}`))
}
