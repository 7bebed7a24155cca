/** `gzip` inside scripts. */
import { gunzipSync, gzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { joined } from '../support/make-zip.ts'
import { runLua } from '../support/run-lua.ts'
import { PREFIX, storageWith } from '../support/seeded-storage.ts'

const encode = (text: string) => new TextEncoder().encode(text)

async function decompress(bytes: Uint8Array<ArrayBuffer>, limits = {}) {
  const storage = memoryStorage()
  await storage.put(`${PREFIX}a.gz`, bytes)
  const { error, files } = await runLua('gzip.decompress("a.gz", "a.txt")', { storage, limits })
  const object = await storage.get(`${PREFIX}a.txt`)
  return { message: error?.message, kind: error?.kind, files, text: object && textOf(object.body) }
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('gzip.compress', () => {
  it.each(['', 'hello', 'x'.repeat(1_000_000), '\0\u{ff}'])(
    'of %.20j is read by others',
    async (text) => {
      const storage = await storageWith({ 'a.txt': text })
      const { result, error } = await runLua('return gzip.compress("a.txt", "a.gz")', { storage })
      expect(error).toBeUndefined()
      const { body } = (await storage.get(`${PREFIX}a.gz`))!
      expect(result).toEqual({ path: 'a.gz', bytes: body.length })
      expect(textOf(gunzipSync(body))).toBe(text)
    },
  )

  it('may replace its own source', async () => {
    const storage = await storageWith({ 'a.txt': 'hello' })
    await runLua('gzip.compress("a.txt", "a.txt")', { storage })
    expect(textOf(gunzipSync((await storage.get(`${PREFIX}a.txt`))!.body))).toBe('hello')
  })

  it.each<[string, string]>([
    ['gzip.compress("none", "x")', 'none: No such file or directory'],
    ['gzip.compress("a.txt", "../x")', "path cannot contain '..' traversal"],
    ['gzip.compress("a\\xff", "x")', 'path is not valid: not UTF-8'],
    ['gzip.compress("a.txt")', "bad argument #2 to 'compress' (string expected, got nil)"],
  ])('%s raises %j', async (script, message) => {
    const storage = await storageWith({ 'a.txt': 'a' })
    const { error } = await runLua(script, { storage })
    expect(error?.message).toBe(`script:1: ${message}`)
    const caught = await runLua(`return select(2, pcall(${script.replace('(', ', ')})`, { storage })
    expect(caught.result).toBe(message)
  })
})

describe('gzip.decompress', () => {
  const long = 'some text that repeats. '.repeat(20_000)

  it.each(['', 'hello', long])('reads %.20j', async (text) => {
    expect(await decompress(gzipSync(encode(text)))).toMatchObject({ message: undefined, text })
  })

  it('reads several members as one', async () => {
    const members = ['one ', long, '', 'three'].map((text) => gzipSync(encode(text)))
    const { message, text } = await decompress(joined(members))
    expect({ message, text }).toEqual({ message: undefined, text: `one ${long}three` })
  })

  const good = gzipSync(encode(long))
  const changed = (at: number) => good.map((byte, i) => (i === good.length + at ? byte ^ 1 : byte))

  it.each<[string, Uint8Array<ArrayBuffer>, string]>([
    ['an empty file', new Uint8Array(), 'a.gz: not gzip: the file is empty'],
    ['something else', encode('hello world'), 'not a gzip header'],
    ['a cut file', good.slice(0, 500), 'the file is cut off'],
    ['a cut trailer', good.slice(0, -3), 'wrong checksum'],
    ['a wrong checksum', changed(-8), 'wrong checksum'],
    ['a wrong length', changed(-2), 'wrong length'],
    ['damaged data', changed(-600), 'bad gzip data'],
    ['garbage behind', joined([good, encode('garbage')]), 'something else follows the data'],
    ['a second member that is cut', joined([good, good.slice(0, 300)]), 'in member 2'],
  ])('of %s raises and stores nothing', async (_, bytes, message) => {
    const outcome = await decompress(bytes)
    expect(outcome).toMatchObject({ kind: 'runtime', text: null, files: [] })
    expect(outcome.message).toMatch(/^script:1: a\.gz: /)
    expect(outcome.message).toContain(message)
  })

  it('ends a bomb at the limit on written bytes', async () => {
    const bomb = gzipSync(new Uint8Array(20_000_000))
    expect(await decompress(bomb, { writeBytes: 1_000_000 })).toMatchObject({
      kind: 'limit',
      message: 'script:1: I/O write limit exceeded (1000000 bytes)',
      text: null,
    })
  })

  it('spends fuel, and cannot outlive it', async () => {
    const bomb = gzipSync(new Uint8Array(20_000_000))
    expect(await decompress(bomb, { fuel: 10_000_000 })).toMatchObject({ kind: 'fuel', text: null })
  })
})
