/** The whole of `template.yaml`: a resource, a parameter or an output that nobody foresaw is refused. */
import * as z from 'zod'
import { alarmRules, subscriptionRules, topicRules } from './alarm-rules.ts'
import { bucketPolicyRules, bucketRules } from './bucket-rules.ts'
import {
  functionRules,
  invokePermissionRules,
  logRules,
  urlPermissionRules,
  urlRules,
} from './function-rules.ts'
import { exactly, getAtt, ref } from './intrinsics.ts'
import type { Json } from './read-template.ts'
import { roleRules } from './role-rules.ts'

/** The pattern of a parameter has to keep these out. */
function refusing(...values: readonly string[]) {
  return z.string().superRefine((pattern, ctx) => {
    for (const value of values) {
      if (new RegExp(pattern).test(value)) ctx.addIssue(`must not match ${JSON.stringify(value)}`)
    }
  })
}

const parameter = (rules: Readonly<Record<string, z.ZodType>> = {}) => z.looseObject(rules)
/** Nobody may forget to choose it. */
const required = (AllowedPattern: z.ZodType) =>
  parameter({ AllowedPattern, Default: z.never('must not have a default').optional() })

const parameters = z.strictObject({
  CodeBucket: required(refusing('')),
  CodeKey: required(refusing('')),
  SecretArn: required(refusing('', 'a secret itself', 'name:SecretString')),
  SecretVersionId: required(refusing('', 'AWSCURRENT')),
  HasAuthSecret: parameter({ AllowedValues: exactly(['true', 'false']) }),
  HasApiKeys: parameter({ AllowedValues: exactly(['true', 'false']) }),
  AuthJwksUrl: parameter({ AllowedPattern: refusing('http://keys.example') }),
  AuthIssuer: parameter(),
  AuthAudience: parameter(),
  PublicUrl: parameter({ AllowedPattern: refusing('http://files.example', 'https://x.example/?') }),
  AllowedOrigins: parameter({
    AllowedPattern: refusing('*', 'https://*', 'https://*.example', 'http://app.example'),
  }),
  BucketName: parameter(),
  KeyPrefix: parameter({ AllowedPattern: refusing('*', 'a', '/', '../', 'a/*/', 'a?/') }),
  KmsKeyArn: parameter({ AllowedPattern: refusing('*', 'alias/key') }),
  KeepVersionsDays: parameter(),
  MemoryMiB: parameter({ MinValue: z.number().min(512) }),
  ReservedConcurrency: parameter({ MinValue: z.number().min(1), Default: z.number() }),
  LogDays: parameter({ AllowedValues: z.array(z.number().positive()) }),
  AlarmEmail: parameter(),
})

const resources = z.strictObject({
  Files: bucketRules,
  FilesPolicy: bucketPolicyRules,
  Role: roleRules,
  Log: logRules,
  Function: functionRules,
  Url: urlRules,
  UrlPermission: urlPermissionRules,
  InvokePermission: invokePermissionRules,
  AlarmTopic: topicRules,
  AlarmSubscription: subscriptionRules,
  ...alarmRules,
})

const output = (value: Json) =>
  z.strictObject({ Description: z.string().optional(), Value: exactly(value) })

/** A template that passes opens the service to callers with a token, and the bucket to the function alone. */
export const templateRules = z
  .strictObject({
    AWSTemplateFormatVersion: z.literal('2010-09-09'),
    Description: z.string(),
    Parameters: parameters,
    Rules: z.looseObject({}),
    Conditions: z.looseObject({}),
    Resources: resources,
    Outputs: z.strictObject({
      Url: output(getAtt('Url', 'FunctionUrl')),
      BucketName: output(ref('Files')),
      FunctionName: output(ref('Function')),
      LogGroupName: output(ref('Log')),
      AlarmTopicArn: output(ref('AlarmTopic')),
    }),
  })
  .superRefine(({ Resources }, ctx) => {
    const { Timeout } = Resources.Function.Properties
    const { Threshold } = Resources.DurationAlarm.Properties
    if (Threshold >= Timeout * 1000) {
      const path = ['Resources', 'DurationAlarm', 'Properties', 'Threshold']
      ctx.addIssue({ code: 'custom', path, message: 'must be below the Timeout of the function' })
    }
  })
