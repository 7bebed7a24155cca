/** `zip` inside scripts. */
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { joined, makeZip, type MadeEntry } from '../support/make-zip.ts'
import { runLua, type LuaRunOptions } from '../support/run-lua.ts'
import { PREFIX, storageWith, textsIn } from '../support/seeded-storage.ts'

const FILES = {
  'data/a.txt': 'aaa',
  'data/deep/é.txt': 'é'.repeat(50_000),
  'data/empty': '',
  'data/picture.png': 'png'.repeat(1000),
  'other.txt': 'other',
}

/** Extracts into `out`. */
async function extract(archive: Uint8Array<ArrayBuffer>, options: LuaRunOptions = {}) {
  const storage = memoryStorage()
  await storage.put(`${PREFIX}a.zip`, archive)
  const { error, result } = await runLua('local files = zip.extract("a.zip", "out") return files', {
    storage,
    ...options,
  })
  const { 'a.zip': _, ...texts } = await textsIn(storage)
  return { message: error?.message, kind: error?.kind, result, texts }
}

const extractMade = (...entries: readonly MadeEntry[]) => extract(makeZip(entries))

describe('zip.create', () => {
  it('puts files and folders under their paths, and not itself', async () => {
    const storage = await storageWith({ ...FILES, 'data/all.zip': 'old' })
    const script = 'return zip.create("data/all.zip", { "data", "./other.txt", "data/a.txt" })'
    const { result, error } = await runLua(script, { storage })
    expect(error).toBeUndefined()
    const { body } = (await storage.get(`${PREFIX}data/all.zip`))!
    expect(result).toEqual({ path: 'data/all.zip', bytes: body.length, files: 5 })
    const found = Object.entries(unzipSync(body)).map(([name, bytes]) => [name, strFromU8(bytes)])
    expect(Object.fromEntries(found)).toEqual(FILES)
  })

  it('sees files of the run itself, and none that it removed', async () => {
    const storage = await storageWith({ 'data/a.txt': 'a', 'data/b.txt': 'b' })
    const script = `os.remove("data/a.txt") file.save("data/c.txt", "c")
      zip.create("a.zip", { "data" })
      local names = {} for i, entry in ipairs(zip.list("a.zip")) do names[i] = entry.name end
      return names`
    expect((await runLua(script, { storage })).result).toEqual(['data/b.txt', 'data/c.txt'])
  })

  it.each<[string, string]>([
    ['zip.create("a.zip", { "none" })', 'none: No such file or directory'],
    ['zip.create("a.zip", { "../x" })', "path cannot contain '..' traversal"],
    ['zip.create("/a.zip", { "other.txt" })', 'path must be relative'],
    ['zip.create("a.zip", {})', 'zip.create needs a list of names of files and folders'],
    ['zip.create("a.zip", { 1 })', 'zip.create needs a list of names of files and folders'],
    ['zip.create("a.zip")', "bad argument #2 to 'create' (table expected, got nil)"],
  ])('%s raises %j', async (script, message) => {
    const storage = await storageWith(FILES)
    expect((await runLua(script, { storage })).error?.message).toBe(`script:1: ${message}`)
    expect(await textsIn(storage)).toEqual(FILES)
  })
})

describe('zip.list', () => {
  it('gives names, sizes and times', async () => {
    const storage = await storageWith({ 'a.txt': 'a'.repeat(1000) })
    const script = 'zip.create("a.zip", { "a.txt" }) return zip.list("a.zip")'
    const [entry] = (await runLua(script, { storage })).result as Record<string, unknown>[]
    expect(entry).toMatchObject({ name: 'a.txt', bytes: 1000, modified: '2026-11-16T09:00:00' })
    expect(entry!.compressed_bytes).toBeLessThan(50)
  })

  it('is empty for an empty archive, and reads one behind other bytes and before a comment', async () => {
    const storage = memoryStorage()
    await storage.put(`${PREFIX}empty.zip`, makeZip([]))
    const archive = makeZip([{ name: 'x', content: 'x' }], { comment: 'a comment' })
    await storage.put(`${PREFIX}moved.zip`, joined([strToU8('#!/bin/sh\n'), archive]))
    const script = `zip.extract("moved.zip", "out")
      return { #zip.list("empty.zip"), zip.list("moved.zip")[1].name, io.open("out/x"):read("a") }`
    expect((await runLua(script, { storage })).result).toEqual([0, 'x', 'x'])
  })

  it('reads names of code page 437', async () => {
    const storage = memoryStorage()
    await storage.put(`${PREFIX}a.zip`, makeZip([{ name: Uint8Array.of(0x81, 0x62) }]))
    expect((await runLua('return zip.list("a.zip")[1].name', { storage })).result).toBe('üb')
  })
})

describe('zip.extract', () => {
  it('brings back what zip.create took', async () => {
    const storage = await storageWith(FILES)
    const script = 'zip.create("a.zip", { "." }) return #zip.extract("a.zip", "copy")'
    expect((await runLua(script, { storage })).result).toBe(5)
    const { 'a.zip': _, ...texts } = await textsIn(storage)
    const copies = Object.entries(FILES).map(([path, text]) => [`copy/${path}`, text])
    expect(texts).toEqual({ ...FILES, ...Object.fromEntries(copies) })
  })

  it('reads archives of others, with folders, stored and deflated', async () => {
    const archive = zipSync({
      'a/': new Uint8Array(),
      'a/stored.txt': [strToU8('stored'), { level: 0 }],
      'a/deflated.txt': strToU8('deflated '.repeat(10_000)),
    })
    expect(await extract(archive)).toEqual({
      message: undefined,
      kind: undefined,
      result: [
        { path: 'out/a/stored.txt', bytes: 6 },
        { path: 'out/a/deflated.txt', bytes: 90_000 },
      ],
      texts: { 'out/a/stored.txt': 'stored', 'out/a/deflated.txt': 'deflated '.repeat(10_000) },
    })
  })

  it('extracts an archive from an archive, ten levels deep', async () => {
    let archive = makeZip([{ name: 'x.txt', content: 'inside' }])
    for (let i = 0; i < 9; i++) archive = makeZip([{ name: 'x.zip', content: archive }])
    const storage = memoryStorage()
    await storage.put(`${PREFIX}0/x.zip`, archive)
    const script = `for i = 0, 9 do zip.extract(i .. "/x.zip", tostring(i + 1)) end
      return io.open("10/x.txt"):read("a")`
    expect((await runLua(script, { storage })).result).toBe('inside')
  })

  it.each<[string, string]>([
    ['../x', "path cannot contain '..' traversal"],
    ['a/../../x', "path cannot contain '..' traversal"],
    ['/etc/passwd', 'path must be relative'],
    ['a\0b', 'path cannot contain null bytes'],
    ['a\nb', 'path is not valid: contains control characters'],
    ['C:\\x', 'path is not valid: contains a backslash'],
    ['', 'path cannot be empty'],
    ['.', 'path is not valid: names a folder'],
    ['x'.repeat(600), 'path is not valid: longer than 512 bytes'],
  ])('refuses the name %j before it writes anything', async (name, problem) => {
    const { message, texts } = await extractMade({ name: 'good', content: 'good' }, { name })
    expect(message).toBe(`script:1: a.zip: entry ${JSON.stringify(name)}: ${problem}`)
    expect(texts).toEqual({})
  })

  const good = { name: 'good', content: 'good' }

  it.each<[string, MadeEntry, string]>([
    ['a symbolic link', { name: 'l', mode: 0o120777, content: '/etc' }, 'it is a symbolic link'],
    ['an encrypted entry', { name: 'e', flags: 1 }, 'it is encrypted'],
    ['another method', { name: 'm', method: 12 }, 'compression method 12 is not supported'],
    ['a name that is there twice', { name: './good' }, 'there are two entries of this name'],
    ['a file in a file', { name: 'good/x' }, 'another entry is a file and its folder'],
  ])('refuses %s before it writes anything', async (_, entry, problem) => {
    const { message, texts } = await extractMade(good, entry)
    expect(message).toContain(`: ${problem}`)
    expect(texts).toEqual({})
  })

  it.each<[string, MadeEntry, string]>([
    ['a wrong checksum', { name: 'x', content: 'x', crc: 1 }, 'wrong checksum'],
    ['more than it says', { name: 'x', content: 'xx', bytes: 1 }, 'it is larger than it says'],
    ['less than it says', { name: 'x', content: 'x', bytes: 9 }, 'it is shorter than it says'],
    ['a cut archive', { name: 'x', packedBytes: 99_999, bytes: 99_999 }, 'the archive is cut off'],
    ['no header', { name: 'x', offset: 7 }, 'its header is missing'],
    ['a header far away', { name: 'x', offset: 0x7fffffff }, 'its header is missing'],
    ['bad data', { name: 'x', content: '\xff\xff\xff', method: 8 }, 'bad data: '],
  ])('of %s leaves nothing of that file', async (_, entry, problem) => {
    const { message, texts } = await extractMade(good, entry)
    expect(message).toContain(`script:1: a.zip: entry "x": ${problem}`)
    expect(texts).toEqual({ 'out/good': 'good' })
  })

  it.each<[string, Uint8Array<ArrayBuffer>, string]>([
    ['nothing', new Uint8Array(), 'the file is empty'],
    ['something else', strToU8('hello'.repeat(100)), 'there is no end of an archive'],
    ['a cut archive', makeZip([good]).slice(0, -5), 'there is no end of an archive'],
    ['a list of files that is cut', makeZip([good]).slice(40), 'the list of files is cut off'],
    [
      'more entries than there are',
      makeZip([good], { count: 2 }),
      'entry 2 in the list of files is damaged',
    ],
  ])('says what is wrong with %s', async (_, bytes, problem) => {
    expect((await extract(bytes)).message).toBe(`script:1: a.zip: not a ZIP archive: ${problem}`)
  })

  it('ends a bomb at the limit on written bytes', async () => {
    const bomb = zipSync({ bomb: new Uint8Array(20_000_000) })
    expect(await extract(bomb, { limits: { writeBytes: 1_000_000 } })).toMatchObject({
      kind: 'limit',
      message: 'script:1: I/O write limit exceeded (1000000 bytes)',
      texts: {},
    })
  })

  it('spends fuel, and cannot outlive it', async () => {
    const bomb = zipSync({ bomb: new Uint8Array(20_000_000) })
    expect(await extract(bomb, { limits: { fuel: 10_000_000 } })).toMatchObject({
      kind: 'fuel',
      texts: {},
    })
  })
})

describe('scopes and paths', () => {
  const storage = () => storageWith({ 'a.txt': 'a' })
  const message = async (script: string, access: LuaRunOptions['access']) =>
    (await runLua(script, { storage: await storage(), access: access! })).error?.message

  it('reading needs files:read, and writing files:write', async () => {
    const readOnly = { canRead: true, canWrite: false }
    const writeOnly = { canRead: false, canWrite: true }
    const noWrite = 'script:1: files cannot be changed: scope files:write is missing'
    const noRead = 'script:1: files cannot be read: scope files:read is missing'
    expect(await message('zip.create("a.zip", { "a.txt" })', readOnly)).toBe(noWrite)
    expect(await message('zip.create("a.zip", { "a.txt" })', writeOnly)).toBe(noRead)
    expect(await message('zip.list("a.txt")', writeOnly)).toBe(noRead)
    expect(await message('gzip.compress("a.txt", "b")', readOnly)).toBe(noWrite)
    expect(await message('gzip.compress("a.txt", "b")', writeOnly)).toBe(noRead)
    expect(await message('csv.rows("a.txt")', writeOnly)).toBe(noRead)
    expect(await message('csv.writer("a.txt")', readOnly)).toBe(noWrite)
  })

  it('only allowed paths are read and written', async () => {
    const access = { canRead: true, canWrite: true, paths: { allowed: [['in']] } }
    const refused = 'script:1: path is not allowed'
    expect(await message('zip.create("in/a.zip", { "a.txt" })', access)).toBe(refused)
    expect(await message('zip.create("a.zip", { "in" })', access)).toBe(refused)
    expect(await message('gzip.compress("a.txt", "in/b")', access)).toBe(refused)
    expect(await message('csv.rows("a.txt")', access)).toBe(refused)
  })

  it('without any access to files they do not exist', async () => {
    const script = 'return { csv == nil, zip == nil, gzip == nil, codec == nil, io == nil }'
    const access = { canRead: false, canWrite: false }
    expect((await runLua(script, { access })).result).toEqual([true, true, true, true, true])
  })
})
