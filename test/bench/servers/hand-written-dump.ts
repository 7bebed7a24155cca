/**
 * What one writes to dump a listing without the service: each page is parsed, and its rows go up as
 * JSON lines, in parts. Takes the API's origin and the settings of the store as JSON; prints its
 * origin, and does it once for each request.
 */
import { createServer } from 'node:http'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { S3Signing } from '../../../src/config.ts'
import { listen } from '../../support/listen.ts'

const PART_BYTES = 8 * 1024 * 1024
const MAX_UNDER_WAY = 2

const { api, store } = JSON.parse(process.argv[2]!) as { api: string; store: S3Signing }
const { endpoint, region, bucket, forcePathStyle, accessKeyId, secretAccessKey } = store
const credentials = { accessKeyId, secretAccessKey }
const requestChecksumCalculation = 'WHEN_REQUIRED'
const client = new S3Client({
  ...{ endpoint, region, forcePathStyle, credentials, requestChecksumCalculation },
})

interface Page {
  readonly items: readonly object[]
  readonly next_cursor: string | null
}

async function* pages(): AsyncGenerator<Buffer> {
  for (let cursor: string | null = '0'; cursor !== null;) {
    const response = await fetch(`${api}/list?cursor=${cursor}`)
    const page = (await response.json()) as Page
    yield Buffer.from(page.items.map((row) => `${JSON.stringify(row)}\n`).join(''))
    cursor = page.next_cursor
  }
}

async function dump(): Promise<void> {
  const object = { Bucket: bucket, Key: 'hand-written' }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(object))
  const upload = { ...object, UploadId }
  const parts: Promise<{ ETag: string | undefined; PartNumber: number }>[] = []
  const send = async (Body: Buffer, PartNumber: number) => {
    const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body }))
    return { ETag, PartNumber }
  }
  let pending: Buffer[] = []
  let bytes = 0
  for await (const lines of pages()) {
    pending.push(lines)
    bytes += lines.length
    if (bytes < PART_BYTES) continue
    const all = Buffer.concat(pending)
    await parts.at(-MAX_UNDER_WAY)
    parts.push(send(all.subarray(0, PART_BYTES), parts.length + 1))
    pending = [all.subarray(PART_BYTES)]
    bytes = pending[0]!.length
  }
  parts.push(send(Buffer.concat(pending), parts.length + 1))
  const MultipartUpload = { Parts: await Promise.all(parts) }
  await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }))
}

const server = createServer((request, response) => {
  request.resume()
  dump().then(
    () => response.end('{}'),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
console.info((await listen(server)).origin)
