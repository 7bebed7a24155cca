/** A Worker that uses the S3 driver, for the test that bundles it. */
import type { ListEntry, StorageDriver } from '../../../src/storage/driver.ts'
import { operatorHint } from '../../../src/storage/errors.ts'
import { retrying } from '../../../src/storage/retrying.ts'
import { s3Storage, type S3StorageOptions } from '../../../src/storage/s3/s3.ts'

const encode = (text: string) => new TextEncoder().encode(text)

/** Each is asked for by name; what it gives goes back as JSON. */
export const QUESTIONS = {
  async 'writes, copies and lists'(storage: StorageDriver) {
    for (const name of ['é +/1', 'é +/2', 'b']) await storage.put(`w/${name}`, encode(name))
    const isCopied = await storage.copy('w/é +/1', 'w/copy & <1>')
    const isInvented = await storage.copy('w/none', 'w/copy')
    const entries: ListEntry[] = []
    for await (const entry of storage.list('w/', { delimiter: '/' })) entries.push(entry)
    const names = entries.map((entry) =>
      entry.kind === 'object' ? entry.object.key : entry.prefix,
    )
    const text = new TextDecoder().decode((await storage.get('w/copy & <1>'))?.body)
    return { isCopied, isInvented, names, text }
  },

  async 'knows what is missing and what is refused'(storage: StorageDriver) {
    const [got, head] = [await storage.get('none'), await storage.head('none')]
    const { etag } = await storage.put('refusing', encode('1'))
    await storage.put('refusing', encode('2'), { ifMatch: etag })
    const refused = await nameOfError(storage.put('refusing', encode('3'), { ifMatch: etag }))
    const taken = await nameOfError(storage.put('refusing', encode('3'), { ifNoneMatch: '*' }))
    return { got, head, refused, taken }
  },

  async 'reads the bodies of errors'(_: StorageDriver, options: S3StorageOptions) {
    const error = await s3Storage({ ...options, bucket: 'none' })
      .get('a')
      .catch((reason: unknown) => reason)
    return { hint: operatorHint(error) }
  },

  async 'stores large bodies'(storage: StorageDriver) {
    const chunks = Array.from({ length: 33 }, (_, i) => new Uint8Array(1024 * 1024).fill(i))
    await storage.put('large/parts', chunks)
    await storage.put('large/whole', chunks, { ifNoneMatch: '*' })
    const range = { offset: 20 * 1024 * 1024 - 1, length: 2 }
    const parts = await storage.get('large/parts', { range })
    const whole = await storage.get('large/whole', { range })
    return [parts, whole].map((object) => [object?.bytes, ...(object?.body ?? [])])
  },

  async 'outlasts a fault'(storage: StorageDriver) {
    const patient = retrying(storage, { firstPauseMs: 1, attemptMs: 1_000 })
    await patient.put('shaky/a', encode('text'))
    const text = new TextDecoder().decode((await patient.get('shaky/a'))?.body)
    const names: string[] = []
    for await (const entry of patient.list('shaky/')) {
      if (entry.kind === 'object') names.push(entry.object.key)
    }
    return { text, names }
  },

  async presigns(storage: StorageDriver) {
    await storage.put('presigned é', encode('text'))
    const expiresAt = new Date(Date.now() + 60_000)
    return storage.presignGet!('presigned é', { expiresAt })
  },
}

async function nameOfError(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => null,
    (error: Error) => error.name,
  )
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { question, options } = (await request.json()) as {
      question: keyof typeof QUESTIONS
      options: S3StorageOptions
    }
    try {
      return Response.json(await QUESTIONS[question](s3Storage(options), options))
    } catch (error) {
      return new Response((error as Error).stack ?? String(error), { status: 500 })
    }
  },
}
