/** How the function runs, what it is told, and who may call it. */
import * as z from 'zod'
import { SETTINGS } from '../../src/config.ts'
import { DEFAULT_LIMITS, STORING_GRACE_MS } from '../../src/limits.ts'
import { exactly, getAtt, ref, sub, when } from './intrinsics.ts'
import type { Json } from './read-template.ts'

/** To be let in, and to start cold. */
const MARGIN_MS = 15_000

/** The longest a request may take by its own rules. */
export const LONGEST_RUN_MS = DEFAULT_LIMITS.runMs + STORING_GRACE_MS

const MAX_TIMEOUT_S = 900

/** The role has credentials that end by themselves; and a longer run would need a longer Timeout. */
const NOT_HERE = [
  'S3_ENDPOINT',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_SESSION_TOKEN',
  'S3_FORCE_PATH_STYLE',
  'TIMEOUT_MS',
]

const fromSecret = (name: string) =>
  sub(`{{resolve:secretsmanager:\${SecretArn}:SecretString:${name}::\${SecretVersionId}}}`)

/** Where each of these has to come from. Secrets come by reference, so that no template or stack shows them. */
const SOURCES: Readonly<Record<string, Json>> = {
  STORAGE: 's3',
  S3_BUCKET: ref('Files'),
  KEY_PREFIX: ref('KeyPrefix'),
  LINK_SECRET: fromSecret('LINK_SECRET'),
  AUTH_SECRET: when('ReadsAuthSecret', fromSecret('AUTH_SECRET')),
  API_KEYS: when('ReadsApiKeys', fromSecret('API_KEYS')),
  AUTH_JWKS_URL: ref('AuthJwksUrl'),
  AUTH_ISSUER: ref('AuthIssuer'),
  AUTH_AUDIENCE: ref('AuthAudience'),
  PUBLIC_URL: ref('PublicUrl'),
  ALLOWED_ORIGINS: { 'Fn::Join': [',', ref('AllowedOrigins')] },
}

const variables = z
  .object(
    Object.fromEntries(Object.entries(SOURCES).map(([name, value]) => [name, exactly(value)])),
  )
  .loose()
  .superRefine((found, ctx) => {
    for (const name of Object.keys(found)) {
      if (!SETTINGS.includes(name)) ctx.addIssue(`${name} is no setting`)
      if (NOT_HERE.includes(name)) ctx.addIssue(`${name} is not for this template`)
    }
  })

export const functionRules = z.strictObject({
  Type: z.literal('AWS::Lambda::Function'),
  Properties: z.strictObject({
    Description: z.unknown(),
    Runtime: z.literal('nodejs24.x'),
    Architectures: exactly(['arm64']),
    Handler: z.literal('lambda.handler'),
    Code: exactly({ S3Bucket: ref('CodeBucket'), S3Key: ref('CodeKey') }),
    Role: exactly(getAtt('Role', 'Arn')),
    MemorySize: exactly(ref('MemoryMiB')),
    Timeout: z
      .int()
      .min(Math.ceil((LONGEST_RUN_MS + MARGIN_MS) / 1000), 'ends runs before their own deadline')
      .max(MAX_TIMEOUT_S),
    ReservedConcurrentExecutions: exactly(ref('ReservedConcurrency')),
    LoggingConfig: exactly({ LogGroup: ref('Log'), LogFormat: 'Text' }),
    Environment: z.strictObject({ Variables: variables }),
  }),
})

export const logRules = z.strictObject({
  Type: z.literal('AWS::Logs::LogGroup'),
  Properties: z.strictObject({
    LogGroupName: exactly(sub('/moonbucket/${AWS::StackName}')),
    RetentionInDays: exactly(ref('LogDays')),
  }),
})

/** Open to everybody on purpose, and streaming; the service itself answers for tokens and CORS. */
export const urlRules = z.strictObject({
  Type: z.literal('AWS::Lambda::Url'),
  Properties: z.strictObject({
    TargetFunctionArn: exactly(getAtt('Function', 'Arn')),
    AuthType: z.literal('NONE'),
    InvokeMode: z.literal('RESPONSE_STREAM'),
  }),
})

const permission = (terms: Readonly<Record<string, Json>>) =>
  z.strictObject({
    Type: z.literal('AWS::Lambda::Permission'),
    Properties: exactly({ FunctionName: getAtt('Function', 'Arn'), Principal: '*', ...terms }),
  })

/** Everybody, but through the address only. */
export const urlPermissionRules = permission({
  Action: 'lambda:InvokeFunctionUrl',
  FunctionUrlAuthType: 'NONE',
})

export const invokePermissionRules = permission({
  Action: 'lambda:InvokeFunction',
  InvokedViaFunctionUrl: true,
})
