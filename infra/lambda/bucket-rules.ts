/** What the bucket has to be like: nobody's but the account's own, encrypted, and there after the stack is gone. */
import * as z from 'zod'
import { exactly, exactlyThese, getAtt, NO_VALUE, ref, sub, when } from './intrinsics.ts'

/** Parts of an upload nobody finished are paid for until they are gone. */
const MAX_UNFINISHED_DAYS = 7

const abortUnfinished = z.strictObject({
  Id: z.string(),
  // Neither a prefix nor a filter: it is for all of the bucket.
  Status: z.literal('Enabled'),
  AbortIncompleteMultipartUpload: z.strictObject({
    DaysAfterInitiation: z.int().min(1).max(MAX_UNFINISHED_DAYS),
  }),
})

const forgetVersions = z.strictObject({
  Id: z.string(),
  Status: z.literal('Enabled'),
  NoncurrentVersionExpiration: exactly({
    NoncurrentDays: when('KeepsVersions', ref('KeepVersionsDays'), 1),
  }),
  ExpiredObjectDeleteMarker: z.literal(true),
})

const corsRule = z.strictObject({
  AllowedOrigins: exactly(ref('AllowedOrigins')),
  AllowedMethods: exactlyThese('GET', 'HEAD', 'PUT'),
  AllowedHeaders: exactlyThese('content-type', 'if-none-match', 'range'),
  ExposedHeaders: exactlyThese('etag', 'content-range'),
  MaxAge: z.int(),
})

/** Properties that are not named, such as a website or a replica, are refused. */
export const bucketRules = z.strictObject({
  Type: z.literal('AWS::S3::Bucket'),
  DeletionPolicy: z.literal('Retain'),
  UpdateReplacePolicy: z.literal('Retain'),
  Properties: z.strictObject({
    BucketName: exactly(when('HasBucketName', ref('BucketName'))),
    BucketEncryption: exactly({
      ServerSideEncryptionConfiguration: [
        {
          BucketKeyEnabled: when('HasKmsKey', true, false),
          ServerSideEncryptionByDefault: {
            SSEAlgorithm: when('HasKmsKey', 'aws:kms', 'AES256'),
            KMSMasterKeyID: when('HasKmsKey', ref('KmsKeyArn')),
          },
        },
      ],
    }),
    OwnershipControls: exactly({ Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] }),
    PublicAccessBlockConfiguration: exactly({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    }),
    VersioningConfiguration: exactly(when('KeepsVersions', { Status: 'Enabled' })),
    LifecycleConfiguration: z.strictObject({ Rules: z.tuple([abortUnfinished, forgetVersions]) }),
    CorsConfiguration: z.strictObject({
      'Fn::If': z.tuple([
        z.literal('HasOrigins'),
        z.strictObject({ CorsRules: z.tuple([corsRule]) }),
        exactly(NO_VALUE),
      ]),
    }),
  }),
})

/** It allows nothing: what may be done is said by the role alone. */
export const bucketPolicyRules = z.strictObject({
  Type: z.literal('AWS::S3::BucketPolicy'),
  Properties: z.strictObject({
    Bucket: exactly(ref('Files')),
    PolicyDocument: z.strictObject({
      Version: z.literal('2012-10-17'),
      Statement: z.tuple([
        z.strictObject({
          Sid: z.string(),
          Effect: z.literal('Deny'),
          Principal: z.literal('*'),
          Action: z.literal('s3:*'),
          Resource: exactly([getAtt('Files', 'Arn'), sub('${Files.Arn}/*')]),
          Condition: exactly({ Bool: { 'aws:SecureTransport': 'false' } }),
        }),
      ]),
    }),
  }),
})
