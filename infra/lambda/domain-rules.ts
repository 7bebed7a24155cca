/** The whole of `domain.yaml`: TLS on both sides, nothing kept, and every header but one passed on. */
import * as z from 'zod'
import { exactly, exactlyThese, getAtt, ref } from './intrinsics.ts'

/** AWS's own policies, by their fixed ids. */
const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad'
const ALL_BUT_HOST = 'b689b0a8-53d0-40ab-baf2-68738e2966ac'

const origin = z.strictObject({
  Id: z.literal('function'),
  DomainName: exactly({ 'Fn::Select': [2, { 'Fn::Split': ['/', ref('FunctionUrl')] }] }),
  CustomOriginConfig: z.strictObject({
    OriginProtocolPolicy: z.literal('https-only'),
    OriginSSLProtocols: exactlyThese('TLSv1.2'),
    OriginReadTimeout: z.int().min(60),
  }),
})

const distribution = z.strictObject({
  Enabled: z.literal(true),
  Comment: z.unknown(),
  Aliases: exactly([ref('DomainName')]),
  HttpVersion: z.string(),
  IPV6Enabled: z.boolean(),
  ViewerCertificate: exactly({
    AcmCertificateArn: ref('CertificateArn'),
    MinimumProtocolVersion: 'TLSv1.2_2021',
    SslSupportMethod: 'sni-only',
  }),
  Origins: z.tuple([origin]),
  DefaultCacheBehavior: z.strictObject({
    TargetOriginId: z.literal('function'),
    ViewerProtocolPolicy: z.enum(['https-only', 'redirect-to-https']),
    AllowedMethods: exactlyThese('GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'PATCH', 'DELETE'),
    CachePolicyId: z.literal(CACHING_DISABLED),
    OriginRequestPolicyId: z.literal(ALL_BUT_HOST),
  }),
})

export const domainRules = z.strictObject({
  AWSTemplateFormatVersion: z.literal('2010-09-09'),
  Description: z.string(),
  Parameters: z.strictObject({
    FunctionUrl: z.looseObject({}),
    DomainName: z.looseObject({}),
    CertificateArn: z.looseObject({}),
  }),
  Resources: z.strictObject({
    Distribution: z.strictObject({
      Type: z.literal('AWS::CloudFront::Distribution'),
      Properties: z.strictObject({ DistributionConfig: distribution }),
    }),
  }),
  Outputs: z.strictObject({
    Target: z.strictObject({
      Description: z.string(),
      Value: exactly(getAtt('Distribution', 'DomainName')),
    }),
  }),
})
