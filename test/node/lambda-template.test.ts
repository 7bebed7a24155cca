/** The Lambda template: what it deploys is what the service takes, and nothing in it can be opened unnoticed. */
import { describe, expect, it } from 'vitest'
import { domainRules } from '../../infra/lambda/domain-rules.ts'
import { templateProblems } from '../../infra/lambda/check-template.ts'
import { readTemplate, type Json } from '../../infra/lambda/read-template.ts'
import { parseConfig } from '../../src/config.ts'
import { evaluateTemplate, Refused } from '../support/evaluate-template.ts'
import { at } from '../support/json-path.ts'

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

type Parameters = Readonly<Record<string, string>>

function resourcesWith(parameters: Parameters = {}, secrets: Partial<typeof SECRETS> = SECRETS) {
  return evaluateTemplate(template, { parameters: { ...REQUIRED, ...parameters }, secrets })
}

const environmentWith = (parameters?: Parameters, secrets?: Partial<typeof SECRETS>) =>
  at(resourcesWith(parameters, secrets), 'Function.Properties.Environment.Variables') as Parameters

describe('the templates', () => {
  it.each([
    ['template.yaml', template, undefined],
    ['domain.yaml', domain, domainRules],
  ])('%s may be deployed', async (_, each, rules) => {
    expect(await templateProblems(each, rules)).toEqual([])
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

describe('the bucket', () => {
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
    [{}, 'CorsConfiguration', undefined],
    [
      { AllowedOrigins: 'https://a.example,https://b.example' },
      'CorsConfiguration.CorsRules.0.AllowedOrigins',
      ['https://a.example', 'https://b.example'],
    ],
    [{}, ENCRYPTION, { SSEAlgorithm: 'AES256' }],
    [{ KmsKeyArn: KEY }, ENCRYPTION, { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY }],
  ])('under %j has as %s %j', (parameters, path, value) => {
    expect(at(resourcesWith(parameters), `Files.Properties.${path}`)).toEqual(value)
  })
})

describe('the parameters', () => {
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
  ])('refuse %j', (parameters) => {
    expect(() => resourcesWith(parameters)).toThrow(Refused)
  })
})

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}
