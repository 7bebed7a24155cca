/**
 * A plain multipart upload with the SDK, in its own process. Takes the settings of the store and a
 * number of MiB as JSON, and prints how long it took.
 */
import { setPriority } from 'node:os'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { S3Signing } from '../../../src/config.ts'
import { PARALLEL_PARTS, PART_BYTES, rawParts } from './raw-parts.ts'

const { store, mib } = JSON.parse(process.argv[2]!) as { store: S3Signing; mib: number }
const { endpoint, region, bucket: Bucket, forcePathStyle, accessKeyId, secretAccessKey } = store
const client = new S3Client({
  endpoint,
  region,
  forcePathStyle,
  credentials: { accessKeyId, secretAccessKey },
  requestChecksumCalculation: 'WHEN_REQUIRED',
})
const object = { Bucket, Key: `raw-${crypto.randomUUID()}` }
const body = Buffer.alloc(PART_BYTES, 'abcdefghijklmnop')

// As the server's threads, which step back where there is not enough for all.
setPriority(5)
const start = performance.now()
const cpu = process.cpuUsage()
const { UploadId } = await client.send(new CreateMultipartUploadCommand(object))
const upload = { ...object, UploadId }
try {
  const Parts = await rawParts(mib, PARALLEL_PARTS, async (PartNumber) => {
    const part = new UploadPartCommand({ ...upload, PartNumber, Body: body })
    return { PartNumber, ETag: (await client.send(part)).ETag }
  })
  const complete = { ...upload, MultipartUpload: { Parts } }
  await client.send(new CompleteMultipartUploadCommand(complete))
} catch (error) {
  await client.send(new AbortMultipartUploadCommand(upload))
  throw error
}
const seconds = (performance.now() - start) / 1000
const { user, system } = process.cpuUsage(cpu)
console.info(JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6 }))
await client.send(new DeleteObjectCommand(object))
