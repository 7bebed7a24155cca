/** Every way to open the Lambda stack that we could think of is noticed by `npm run check:lambda`. */
import { describe, expect, it } from 'vitest'
import { templateProblems } from '../../infra/lambda/check-template.ts'
import { domainRules } from '../../infra/lambda/domain-rules.ts'
import { readTemplate, type Json } from '../../infra/lambda/read-template.ts'
import { changed } from '../support/json-path.ts'

const template = readTemplate('template.yaml')

/** What is changed, where, to what (nothing removes it), and what the complaint names. */
type Mutation = readonly [title: string, path: string, value: Json | undefined, named: string]

const FILES = 'Resources.Files.Properties'
const POLICIES = 'Resources.Role.Properties.Policies'
const OBJECTS = `${POLICIES}.0.PolicyDocument.Statement.1`
const TLS = 'Resources.FilesPolicy.Properties.PolicyDocument.Statement'
const FUNCTION = 'Resources.Function.Properties'
const ENV = `${FUNCTION}.Environment.Variables`
const CORS_ORIGINS = `${FILES}.CorsConfiguration.Fn::If.1.CorsRules.0.AllowedOrigins`
const OWN_FILES: Json = { 'Fn::Sub': '${Files.Arn}/${KeyPrefix}*' }
const anybody: Json = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: '*' }
const anything: Json = { Effect: 'Allow', Action: '*', Resource: '*' }

const ROLE: readonly Mutation[] = [
  ['one more action', `${OBJECTS}.Action.+`, 's3:PutObjectAcl', 's3:PutObjectAcl'],
  ['reading old versions', `${OBJECTS}.Action.+`, 's3:GetObjectVersion', 's3:GetObjectVersion'],
  ['every action on objects', `${OBJECTS}.Action`, 's3:*', 's3:*'],
  ['a wildcard for one action', `${OBJECTS}.Action.0`, 's3:Get*', 's3:Get*'],
  ['an action less', `${OBJECTS}.Action.3`, undefined, 'must allow s3:AbortMultipartUpload'],
  ['every bucket', `${OBJECTS}.Resource`, '*', '"*"'],
  [
    'a second bucket',
    `${OBJECTS}.Resource`,
    [OWN_FILES, 'arn:aws:s3:::other/*'],
    'arn:aws:s3:::other',
  ],
  ['any account', `${OBJECTS}.Condition`, undefined, 'must not allow s3:GetObject'],
  [
    'listing every bucket',
    `${POLICIES}.0.PolicyDocument.Statement.0.Resource`,
    '*',
    's3:ListBucket',
  ],
  ['all but some actions', `${OBJECTS}.NotAction`, 's3:DeleteBucket', 'NotAction'],
  ['one more statement', `${POLICIES}.0.PolicyDocument.Statement.+`, anything, 'must not allow *'],
  ['one more policy', `${POLICIES}.+`, policy(anything), 'must not allow *'],
  ['the key without a key', `${POLICIES}.2`, policy(anything), 'must not allow *'],
  [
    'the key for more than S3',
    `${POLICIES}.2.Fn::If.1.PolicyDocument.Statement.0.Condition`,
    undefined,
    'kms:',
  ],
  ['logs of others', `${POLICIES}.1.PolicyDocument.Statement.0.Resource`, '*', 'logs:'],
  [
    'a managed policy',
    'Resources.Role.Properties.ManagedPolicyArns',
    ['arn:aws:iam::aws:policy/AmazonS3FullAccess'],
    'ManagedPolicyArns',
  ],
  [
    'everybody as the role',
    'Resources.Role.Properties.AssumeRolePolicyDocument.Statement.0.Principal',
    '*',
    'AssumeRolePolicyDocument',
  ],
  [
    'another account as the role',
    'Resources.Role.Properties.AssumeRolePolicyDocument.Statement.0.Principal.AWS',
    '210987654321',
    'AssumeRolePolicyDocument',
  ],
]

const BUCKET: readonly Mutation[] = [
  ...['BlockPublicAcls', 'BlockPublicPolicy', 'IgnorePublicAcls', 'RestrictPublicBuckets'].flatMap(
    (block): Mutation[] => [
      [
        `${block} removed`,
        `${FILES}.PublicAccessBlockConfiguration.${block}`,
        undefined,
        'PublicAccessBlock',
      ],
      [
        `${block} off`,
        `${FILES}.PublicAccessBlockConfiguration.${block}`,
        false,
        'PublicAccessBlock',
      ],
    ],
  ),
  [
    'no public access block',
    `${FILES}.PublicAccessBlockConfiguration`,
    undefined,
    'PublicAccessBlock',
  ],
  ['a public ACL', `${FILES}.AccessControl`, 'PublicRead', 'AccessControl'],
  [
    'ACLs at all',
    `${FILES}.OwnershipControls.Rules.0.ObjectOwnership`,
    'ObjectWriter',
    'OwnershipControls',
  ],
  [
    'a website',
    `${FILES}.WebsiteConfiguration`,
    { IndexDocument: 'index.html' },
    'WebsiteConfiguration',
  ],
  [
    'a copy elsewhere',
    `${FILES}.ReplicationConfiguration`,
    { Role: 'r', Rules: [] },
    'ReplicationConfiguration',
  ],
  ['no encryption', `${FILES}.BucketEncryption`, undefined, 'BucketEncryption'],
  ['deleted with the stack', 'Resources.Files.DeletionPolicy', 'Delete', 'DeletionPolicy'],
  [
    'deleted when replaced',
    'Resources.Files.UpdateReplacePolicy',
    undefined,
    'UpdateReplacePolicy',
  ],
  ['no lifecycle', `${FILES}.LifecycleConfiguration`, undefined, 'LifecycleConfiguration'],
  [
    'unfinished uploads kept',
    `${FILES}.LifecycleConfiguration.Rules.0`,
    undefined,
    'LifecycleConfiguration',
  ],
  ['a rule that sleeps', `${FILES}.LifecycleConfiguration.Rules.0.Status`, 'Disabled', 'Status'],
  [
    'files that expire',
    `${FILES}.LifecycleConfiguration.Rules.+`,
    { Id: 'x', Status: 'Enabled', ExpirationInDays: 1 },
    'LifecycleConfiguration',
  ],
  ['every origin', CORS_ORIGINS, ['*'], 'AllowedOrigins'],
  ['origins with wildcards', 'Parameters.AllowedOrigins.AllowedPattern', '.*', 'AllowedOrigins'],
  [
    'deleting from web pages',
    `${FILES}.CorsConfiguration.Fn::If.1.CorsRules.0.AllowedMethods.+`,
    'DELETE',
    'AllowedMethods',
  ],
  ['requests without TLS', TLS, [], 'FilesPolicy'],
  ['TLS for objects only', `${TLS}.0.Resource.0`, undefined, 'FilesPolicy'],
  ['TLS for one action', `${TLS}.0.Action`, 's3:GetObject', 'FilesPolicy'],
  ['TLS never asked for', `${TLS}.0.Condition.Bool.aws:SecureTransport`, 'true', 'FilesPolicy'],
  ['an allowing bucket policy', `${TLS}.0.Effect`, 'Allow', 'FilesPolicy'],
  ['everybody reading', `${TLS}.+`, anybody, 'FilesPolicy'],
  ['no bucket policy', 'Resources.FilesPolicy', undefined, 'FilesPolicy'],
  ['a prefix that is a pattern', 'Parameters.KeyPrefix.AllowedPattern', '.*', 'KeyPrefix'],
]

const FUNCTIONS: readonly Mutation[] = [
  ['a secret in the open', `${ENV}.LINK_SECRET`, 'signs-every-link-of-ours', 'LINK_SECRET'],
  ['a secret as a parameter', `${ENV}.AUTH_SECRET`, { Ref: 'AuthIssuer' }, 'AUTH_SECRET'],
  [
    'a secret of any version',
    `${ENV}.LINK_SECRET`,
    { 'Fn::Sub': '{{resolve:secretsmanager:${SecretArn}:SecretString:LINK_SECRET}}' },
    'LINK_SECRET',
  ],
  ['a secret from plain SSM', `${ENV}.LINK_SECRET`, '{{resolve:ssm:link-secret}}', 'LINK_SECRET'],
  [
    'a default secret',
    'Parameters.SecretArn.Default',
    'arn:aws:secretsmanager:eu-west-1:123456789012:secret:x',
    'SecretArn',
  ],
  ['tokens for anybody', `${ENV}.AUTH_AUDIENCE`, undefined, 'AUTH_AUDIENCE'],
  ['no link secret', `${ENV}.LINK_SECRET`, undefined, 'LINK_SECRET'],
  ['keys instead of the role', `${ENV}.S3_ACCESS_KEY_ID`, 'AKIA', 'S3_ACCESS_KEY_ID'],
  ['another store', `${ENV}.S3_ENDPOINT`, 'https://elsewhere.example', 'S3_ENDPOINT'],
  ['another bucket', `${ENV}.S3_BUCKET`, 'other', 'S3_BUCKET'],
  ['a misspelt setting', `${ENV}.AUTH_ISUER`, 'x', 'AUTH_ISUER'],
  [
    'no limit of concurrency',
    `${FUNCTION}.ReservedConcurrentExecutions`,
    undefined,
    'ReservedConcurrent',
  ],
  ['a limit of none', 'Parameters.ReservedConcurrency.MinValue', 0, 'ReservedConcurrency'],
  ['a timeout below the deadline', `${FUNCTION}.Timeout`, 40, 'Timeout'],
  ['a deadline beyond the timeout', `${ENV}.TIMEOUT_MS`, '120000', 'TIMEOUT_MS'],
  ['an older runtime', `${FUNCTION}.Runtime`, 'nodejs22.x', 'Runtime'],
  ['code in the template', `${FUNCTION}.Code`, { ZipFile: 'exports.handler = 1' }, 'Code'],
  ['a layer', `${FUNCTION}.Layers`, ['arn:aws:lambda:eu-west-1:1:layer:x:1'], 'Layers'],
  ['logs for ever', 'Resources.Log.Properties.RetentionInDays', undefined, 'RetentionInDays'],
  ['logs elsewhere', `${FUNCTION}.LoggingConfig`, undefined, 'LoggingConfig'],
  ['an address for IAM users', 'Resources.Url.Properties.AuthType', 'AWS_IAM', 'AuthType'],
  ['answers held back', 'Resources.Url.Properties.InvokeMode', 'BUFFERED', 'InvokeMode'],
  ['CORS twice', 'Resources.Url.Properties.Cors', { AllowOrigins: ['*'] }, 'Cors'],
  [
    'invoking without the address',
    'Resources.InvokePermission.Properties.InvokedViaFunctionUrl',
    undefined,
    'InvokePermission',
  ],
  [
    'any way of invoking',
    'Resources.InvokePermission.Properties.Action',
    'lambda:*',
    'InvokePermission',
  ],
  [
    'an address of any kind',
    'Resources.UrlPermission.Properties.FunctionUrlAuthType',
    undefined,
    'UrlPermission',
  ],
  ['a permission less', 'Resources.InvokePermission', undefined, 'InvokePermission'],
  [
    'a permission more',
    'Resources.Other',
    {
      Type: 'AWS::Lambda::Permission',
      Properties: { FunctionName: 'f', Action: 'lambda:InvokeFunction', Principal: '*' },
    },
    'Other',
  ],
  [
    'a side door for the role',
    'Resources.Other',
    {
      Type: 'AWS::IAM::Policy',
      Properties: { PolicyName: 'x', PolicyDocument: { Statement: [anything] } },
    },
    'Other',
  ],
  ['a macro', 'Transform', 'AWS::Serverless-2016-10-31', 'Transform'],
  ['a secret among the outputs', 'Outputs.Secret', { Value: { Ref: 'SecretArn' } }, 'Secret'],
  ...[
    'ErrorsAlarm',
    'ThrottlesAlarm',
    'DurationAlarm',
    'ServerErrorsAlarm',
    'ConcurrencyAlarm',
  ].flatMap((alarm): Mutation[] => [
    [`no ${alarm}`, `Resources.${alarm}`, undefined, alarm],
    [`${alarm} for nobody`, `Resources.${alarm}.Properties.AlarmActions`, [], alarm],
    [`${alarm} asleep`, `Resources.${alarm}.Properties.ActionsEnabled`, false, alarm],
  ]),
  [
    'an alarm after the timeout',
    'Resources.DurationAlarm.Properties.Threshold',
    60_000,
    'DurationAlarm',
  ],
]

/** Not unsafe, but CloudFormation would stop half-way. */
const MISTAKES: readonly Mutation[] = [
  [
    'a type AWS does not have',
    'Resources.Log.Type',
    'AWS::Logs::Group',
    'AWS has no AWS::Logs::Group',
  ],
  ['a property AWS does not have', `${FUNCTION}.MemoryMb`, 512, 'has no property MemoryMb'],
  ['a required property missing', 'Resources.Url.Properties.AuthType', undefined, 'lacks AuthType'],
  [
    'a nested property AWS does not have',
    `${FILES}.CorsConfiguration.Fn::If.1.CorsRules.0.ExposeHeaders`,
    [],
    'has no property ExposeHeaders',
  ],
  [
    'a value AWS does not know',
    'Resources.Url.Properties.InvokeMode',
    'STREAM',
    'cannot be "STREAM"',
  ],
  ['a number in quotes', `${FUNCTION}.Timeout`, '60', 'must be a number'],
  [
    'an attribute AWS does not have',
    'Outputs.Url.Value',
    { 'Fn::GetAtt': ['Url', 'Address'] },
    'has no attribute Address',
  ],
  [
    'a name that leads nowhere',
    `${ENV}.AUTH_ISSUER`,
    { Ref: 'Issuer' },
    'Issuer: there is no such name',
  ],
  [
    'a condition that is not there',
    'Conditions.HasKmsKey',
    undefined,
    'HasKmsKey: there is no such name',
  ],
  ['a parameter for nothing', 'Parameters.Other', { Type: 'String' }, 'Other: is not used'],
]

describe.each([
  ['the role', ROLE],
  ['the bucket', BUCKET],
  ['the function', FUNCTIONS],
  ['the template', MISTAKES],
])('a change of %s is noticed:', (_, mutations) => {
  it.each(mutations)('%s', async (_title, path, value, named) => {
    const problems = await templateProblems(changed(template, path, value))
    expect(problems.join('\n')).toContain(named)
  })
})

describe('no value can be removed or made a wildcard unnoticed', () => {
  /** Names for people, and how long browsers remember. */
  const HARMLESS = /\.(Sid|Id|PolicyName|MaxAge|Description\.Fn::Sub)$/

  it.each(['Files', 'FilesPolicy', 'Role', 'Function', 'Url', 'UrlPermission', 'InvokePermission'])(
    'in %s',
    async (name) => {
      const leaves = leavesOf(template.Resources[name]!, `Resources.${name}`)
      const unnoticed: string[] = []
      for (const [path, before] of leaves.filter(([each]) => !HARMLESS.test(each))) {
        for (const value of before === '*' ? [undefined] : [undefined, '*']) {
          const problems = await templateProblems(changed(template, path, value))
          if (problems.length === 0) unnoticed.push(path)
        }
      }
      expect(leaves.length).toBeGreaterThan(3)
      expect(unnoticed).toEqual([])
    },
  )
})

const CONFIG = 'Resources.Distribution.Properties.DistributionConfig'

describe('a change of the domain is noticed:', () => {
  it.each<Mutation>([
    [
      'plain HTTP',
      `${CONFIG}.DefaultCacheBehavior.ViewerProtocolPolicy`,
      'allow-all',
      'ViewerProtocolPolicy',
    ],
    [
      'plain HTTP behind it',
      `${CONFIG}.Origins.0.CustomOriginConfig.OriginProtocolPolicy`,
      'match-viewer',
      'OriginProtocolPolicy',
    ],
    [
      'answers that are kept',
      `${CONFIG}.DefaultCacheBehavior.CachePolicyId`,
      '658327ea-f89d-4fab-a63d-7e88639e58f6',
      'CachePolicyId',
    ],
    ['old TLS', `${CONFIG}.ViewerCertificate.MinimumProtocolVersion`, 'TLSv1', 'ViewerCertificate'],
    ['another way in', `${CONFIG}.CacheBehaviors`, [], 'CacheBehaviors'],
  ])('%s', async (_title, path, value, named) => {
    const mutated = changed(readTemplate('domain.yaml'), path, value)
    expect((await templateProblems(mutated, domainRules)).join('\n')).toContain(named)
  })
})

function policy(statement: Json): Json {
  return { PolicyName: 'other', PolicyDocument: { Version: '2012-10-17', Statement: [statement] } }
}

/** Every value that holds no others, by its path. */
function leavesOf(value: Json, path: string): [string, Json][] {
  if (!(value instanceof Object)) return [[path, value]]
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, `${path}.${name}`))
}
