/** The IAM actions that S3 requires for a request. Node only. */
import type { Seen } from './fault-proxy.ts'

export interface Needed {
  readonly action: string
  readonly arn: string
}

/** Named as in AWS's SDKs. */
export interface S3Request {
  readonly operation: string
  readonly needs: readonly Needed[]
}

/** Headers that require further permissions; the driver sends none of them. */
const HEADERS: Readonly<Record<string, string>> = {
  'x-amz-acl': 's3:PutObjectAcl',
  'x-amz-tagging': 's3:PutObjectTagging',
  'x-amz-object-lock-mode': 's3:PutObjectRetention',
  'x-amz-object-lock-legal-hold': 's3:PutObjectLegalHold',
}

/** An unknown request needs an action that no policy allows. */
export function s3RequestOf({ method, path, query, headers }: Seen): S3Request {
  const [, bucket = '', key = ''] = /^\/([^/]+)\/?(.*)$/s.exec(path) ?? []
  const arn = `arn:aws:s3:::${bucket}`
  const object = `${arn}/${key}`
  const extra = Object.entries(HEADERS).filter(([name]) => name in headers)
  const request = (operation: string, ...actions: readonly string[]): S3Request => ({
    operation,
    needs: [...actions, ...extra.map(([, action]) => action)].map((action) => ({
      action,
      arn: object,
    })),
  })
  if (key === '' && method === 'GET' && query.get('list-type') === '2') {
    return { operation: 'ListObjectsV2', needs: [{ action: 's3:ListBucket', arn }] }
  }
  const hasUpload = query.has('uploadId')
  if (key === '' || query.has('versionId')) return request('unknown', `${method} ${path}?${query}`)
  if (method === 'HEAD') return request('HeadObject', 's3:GetObject')
  if (method === 'GET' && !hasUpload) return request('GetObject', 's3:GetObject')
  if (method === 'DELETE') {
    return hasUpload
      ? request('AbortMultipartUpload', 's3:AbortMultipartUpload')
      : request('DeleteObject', 's3:DeleteObject')
  }
  if (method === 'POST' && query.has('uploads')) {
    return request('CreateMultipartUpload', 's3:PutObject')
  }
  if (method === 'POST' && hasUpload) return request('CompleteMultipartUpload', 's3:PutObject')
  const source = headers['x-amz-copy-source']
  if (method === 'PUT' && typeof source === 'string') {
    const from = { action: 's3:GetObject', arn: `arn:aws:s3:::${decodeURIComponent(source)}` }
    const copied = request(hasUpload ? 'UploadPartCopy' : 'CopyObject', 's3:PutObject')
    return { ...copied, needs: [from, ...copied.needs] }
  }
  if (method === 'PUT' && hasUpload) return request('UploadPart', 's3:PutObject')
  if (method === 'PUT') return request('PutObject', 's3:PutObject')
  return request('unknown', `${method} ${path}?${query}`)
}

/** Matches a policy's resource pattern, in which `*` is any text. */
export function matches(pattern: string, arn: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(arn)
}
