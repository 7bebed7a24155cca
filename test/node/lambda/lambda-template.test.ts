/** The Lambda templates: what they deploy is what the service takes, and closed to others. */
import { describe, expect, it } from 'vitest'
import { templateProblems } from '../../../infra/lambda/check-template.ts'
import { readTemplate, type Json, type JsonObject } from '../../../infra/lambda/read-template.ts'
import { asyncInvocation } from '../../../src/entry/lambda/run-queue.ts'
import { parseConfig, SETTINGS } from '../../../src/config.ts'
import { DEFAULT_LIMITS, STORING_GRACE_MS } from '../../../src/limits.ts'
import { evaluateTemplate, Refused } from '../../support/evaluate-template.ts'
import { at } from '../../support/json-path.ts'

const template = readTemplate('template.yaml')
const domain = readTemplate('domain.yaml')

const REQUIRED = {
  CodeBucket: 'builds',
  CodeKey: 'lambda-1.zip',
  SecretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:moonbucket-AbCdEf',
  SecretVersionId: '11111111-2222-3333-4444-555555555555',
}
const JWKS = {
  AuthJwksUrl: 'https://login.example/keys',
  AuthIssuer: 'https://login.example',
  AuthAudience: 'moonbucket',
}
const SECRETS = {
  LINK_SECRET: 'signs the links of tests',
  AUTH_SECRET: 'signs the tokens of tests',
  API_KEYS: JSON.stringify({ ['a'.repeat(64)]: { tenant: 'acme' } }),
}

const ENCRYPTION =
  'BucketEncryption.ServerSideEncryptionConfiguration.0.ServerSideEncryptionByDefault'
const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1-2'

/** To be let in, and to start cold. */
const COLD_START_MS = 15_000

type Parameters = Readonly<Record<string, string>>

function resourcesWith(parameters: Parameters = {}, secrets: Partial<typeof SECRETS> = SECRETS) {
  return evaluateTemplate(template, { parameters: { ...REQUIRED, ...parameters }, secrets })
}

const environmentWith = (parameters?: Parameters, secrets?: Partial<typeof SECRETS>) =>
  at(resourcesWith(parameters, secrets), 'Function.Properties.Environment.Variables') as Parameters

describe('the templates', () => {
  it.each([
    ['template.yaml', template],
    ['domain.yaml', domain],
  ])('%s may be deployed', async (_, each) => {
    expect(await templateProblems(each)).toEqual([])
  })

  it.each([
    ['template.yaml', template],
    ['domain.yaml', domain],
  ])('%s uses every parameter', (_, each) => {
    const text = JSON.stringify(each)
    const isUsed = (name: string) =>
      text.includes(`{"Ref":"${name}"}`) || text.includes(`{${name}}`)
    expect(Object.keys(each.Parameters!).filter((name) => !isUsed(name))).toEqual([])
  })
})

describe('the environment of the function', () => {
  it('makes a service on the bucket of the stack, with the secrets of the version asked for', () => {
    const { s3, auth, linkSecrets, keyPrefix, publicUrl, allowedOrigins } =
      parseConfig(environmentWith())
    expect({ s3, secret: auth.secret, keys: auth.apiKeys.size, linkSecrets }).toEqual({
      s3: expect.objectContaining({ bucket: 'Files', endpoint: undefined, accessKeyId: undefined }),
      secret: SECRETS.AUTH_SECRET,
      keys: 0,
      linkSecrets: [SECRETS.LINK_SECRET],
    })
    expect({ keyPrefix, publicUrl, allowedOrigins }).toEqual({
      keyPrefix: '',
      publicUrl: undefined,
      allowedOrigins: [],
    })
  })

  it('says what the parameters say', () => {
    const parameters = {
      ...JWKS,
      HasAuthSecret: 'false',
      HasApiKeys: 'true',
      KeyPrefix: 'team/files/',
      PublicUrl: 'https://files.example',
      AllowedOrigins: 'https://app.example,https://other.example:8443',
    }
    const config = parseConfig(environmentWith(parameters))
    expect(config).toMatchObject({
      auth: {
        secret: undefined,
        jwksUrl: JWKS.AuthJwksUrl,
        issuer: JWKS.AuthIssuer,
        audience: JWKS.AuthAudience,
      },
      keyPrefix: 'team/files/',
      publicUrl: 'https://files.example',
      allowedOrigins: ['https://app.example', 'https://other.example:8443'],
    })
    expect(config.auth.apiKeys.size).toBe(1)
  })

  it('is refused by the template exactly where the service would not start with it', () => {
    const choices = (name: string, ...values: string[]) =>
      values.map((value) => ({ [name]: value }))
    const combinations = [
      choices('HasAuthSecret', 'true', 'false'),
      choices('HasApiKeys', 'true', 'false'),
      ...Object.entries(JWKS).map(([name, value]) => choices(name, value, '')),
    ].reduce<Parameters[]>(
      (all, next) => all.flatMap((one) => next.map((other) => ({ ...one, ...other }))),
      [{}],
    )
    const lenient = { ...template, Rules: {} }
    const outcomes = combinations.map((parameters) => {
      const given = { parameters: { ...REQUIRED, ...parameters }, secrets: SECRETS }
      const env = at(
        evaluateTemplate(lenient, given),
        'Function.Properties.Environment.Variables',
      ) as Parameters
      return [succeeds(() => resourcesWith(parameters)), succeeds(() => parseConfig(env))]
    })
    expect(outcomes).toHaveLength(32)
    expect(outcomes.filter(([deploys, starts]) => deploys !== starts)).toEqual([])
    expect(outcomes.filter(([deploys]) => deploys)).toHaveLength(16)
  })

  it('is not made from a secret that lacks what is asked of it', () => {
    const { AUTH_SECRET: _, ...rest } = SECRETS
    expect(() => environmentWith({}, rest)).toThrow(Refused)
    expect(() =>
      environmentWith({ HasAuthSecret: 'false', HasApiKeys: 'true' }, rest),
    ).not.toThrow()
  })
})

it.each<[Parameters, string, Json | undefined]>([
  [{}, 'BucketName', undefined],
  [{ BucketName: 'acme-files' }, 'BucketName', 'acme-files'],
  [{}, 'VersioningConfiguration', undefined],
  [{ KeepVersionsDays: '7' }, 'VersioningConfiguration.Status', 'Enabled'],
  [{}, 'LifecycleConfiguration.Rules.1.NoncurrentVersionExpiration.NoncurrentDays', 1],
  [
    { KeepVersionsDays: '7' },
    'LifecycleConfiguration.Rules.1.NoncurrentVersionExpiration.NoncurrentDays',
    '7',
  ],
  [{}, 'CorsConfiguration.CorsRules.0.AllowedMethods', ['PUT']],
  [
    { AllowedOrigins: 'https://a.example,https://b.example' },
    'CorsConfiguration.CorsRules.0.AllowedOrigins',
    ['https://a.example', 'https://b.example'],
  ],
  [{}, ENCRYPTION, { SSEAlgorithm: 'AES256' }],
  [{ KmsKeyArn: KEY }, ENCRYPTION, { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY }],
])('the bucket under %j has as %s %j', (parameters, path, value) => {
  expect(at(resourcesWith(parameters), `Files.Properties.${path}`)).toEqual(value)
})

describe('the stack', () => {
  const resources = resourcesWith({ AllowedOrigins: 'https://app.example' })
  const propertiesOf = (name: string) => at(resources, `${name}.Properties`) as JsonObject

  it('keeps the bucket private and encrypted, and when the stack is deleted', () => {
    expect(resources.Files).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
      },
    })
    // No website, no access list and no copy elsewhere.
    expect(Object.keys(propertiesOf('Files')).sort()).toEqual([
      'BucketEncryption',
      'CorsConfiguration',
      'LifecycleConfiguration',
      'OwnershipControls',
      'PublicAccessBlockConfiguration',
    ])
    expect(at(resources, 'Files.Properties.LifecycleConfiguration.Rules')).toEqual([
      {
        Id: 'abort-unfinished-uploads',
        Status: 'Enabled',
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
      },
      {
        Id: 'forget-old-versions',
        Status: 'Enabled',
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
        ExpiredObjectDeleteMarker: true,
      },
    ])
    expect(at(resources, 'Files.Properties.CorsConfiguration.CorsRules')).toMatchObject([
      { AllowedOrigins: ['https://app.example'], AllowedMethods: ['GET', 'HEAD', 'PUT'] },
      { AllowedOrigins: ['*'], AllowedMethods: ['PUT'] },
    ])
  })

  it('lets nobody at the bucket without TLS, and by its policy nobody at all', () => {
    expect(at(resources, 'FilesPolicy.Properties.PolicyDocument.Statement')).toEqual([
      {
        Sid: 'OnlyOverTls',
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:*',
        Resource: ['Files.Arn', 'Files.Arn/*'],
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ])
  })

  it('can be called through its address, which streams, and by its schedule alone', () => {
    expect(propertiesOf('Url')).toEqual({
      TargetFunctionArn: 'Function.Arn',
      AuthType: 'NONE',
      InvokeMode: 'RESPONSE_STREAM',
    })
    const permissions = Object.values(resources).filter(
      (each) => at(each, 'Type') === 'AWS::Lambda::Permission',
    )
    expect(permissions.map((each) => at(each, 'Properties'))).toEqual([
      {
        FunctionName: 'Function.Arn',
        Action: 'lambda:InvokeFunctionUrl',
        Principal: '*',
        FunctionUrlAuthType: 'NONE',
      },
      {
        FunctionName: 'Function.Arn',
        Action: 'lambda:InvokeFunction',
        Principal: '*',
        InvokedViaFunctionUrl: true,
      },
      {
        FunctionName: 'Function.Arn',
        Action: 'lambda:InvokeFunction',
        Principal: 'events.amazonaws.com',
        SourceArn: 'Sweep.Arn',
      },
    ])
    expect(propertiesOf('Sweep').Targets).toEqual([
      { Id: 'function', Arn: 'Function.Arn', Input: '{"sweep":true}' },
    ])
  })

  it('repeats no background run, and keeps those that failed', () => {
    const { keepsMs } = asyncInvocation({ AWS_REGION: 'eu-west-1' })
    expect(propertiesOf('RunsConfig')).toEqual({
      FunctionName: 'Function',
      Qualifier: '$LATEST',
      MaximumEventAgeInSeconds: keepsMs / 1000,
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnFailure: { Destination: 'DeadLetters.Arn' } },
    })
  })

  it('ends no run before its own deadline, and warns before it ends one', () => {
    const { Timeout, ReservedConcurrentExecutions } = propertiesOf('Function')
    const { runMs, backgroundMs } = DEFAULT_LIMITS
    const longestMs = backgroundMs + STORING_GRACE_MS + COLD_START_MS
    expect(Number(Timeout) * 1000).toBeGreaterThanOrEqual(longestMs)
    const alarmMs = Number(propertiesOf('DurationAlarm').Threshold)
    expect(alarmMs).toBeGreaterThanOrEqual(runMs + STORING_GRACE_MS)
    expect(propertiesOf('DurationAlarm').MetricName).toBe('UrlRequestLatency')
    expect(ReservedConcurrentExecutions).toBe('50')
  })

  it('sets what the service knows, and secrets by reference', () => {
    const names = Object.keys(environmentWith({ HasApiKeys: 'true' }))
    expect(names.filter((name) => !SETTINGS.includes(name))).toEqual([])
    // The role has credentials that end by themselves.
    expect(names.filter((name) => /^S3_(?!BUCKET)|^TIMEOUT_MS$/.test(name))).toEqual([])
    for (const name of Object.keys(SECRETS)) {
      expect(() =>
        environmentWith({ HasApiKeys: 'true' }, { ...SECRETS, [name]: undefined }),
      ).toThrow(Refused)
    }
    const chosen = Object.keys(REQUIRED).filter((name) => 'Default' in template.Parameters![name]!)
    expect(chosen).toEqual([])
  })

  it('sends every alarm to the topic', () => {
    const alarms = Object.keys(resources).filter((name) => name.endsWith('Alarm'))
    expect(alarms).toHaveLength(6)
    expect(alarms.map((name) => propertiesOf(name).AlarmActions)).toEqual(
      alarms.map(() => ['AlarmTopic']),
    )
  })
})

it('the domain takes TLS on both sides and keeps no answer', () => {
  expect(at(domain.Resources, 'Distribution.Properties.DistributionConfig')).toMatchObject({
    ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021' },
    Origins: [{ CustomOriginConfig: { OriginProtocolPolicy: 'https-only' } }],
    DefaultCacheBehavior: {
      ViewerProtocolPolicy: 'redirect-to-https',
      // AWS's own "CachingDisabled".
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
    },
  })
})

it.each<[Parameters]>([
  [{ AllowedOrigins: '*' }],
  [{ AllowedOrigins: 'https://app.example,*' }],
  [{ AllowedOrigins: 'http://app.example' }],
  [{ KeyPrefix: 'team' }],
  [{ KeyPrefix: '*' }],
  [{ KmsKeyArn: 'alias/files' }],
  [{ SecretArn: 'the secret itself' }],
  [{ ReservedConcurrency: '0' }],
  [{ PublicUrl: 'http://files.example' }],
  [{ AUTH_SECRET: 'in the open' }],
])('the parameters refuse %j', (parameters) => {
  expect(() => resourcesWith(parameters)).toThrow(Refused)
})

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}
