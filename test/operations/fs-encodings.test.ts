/** Bytes through JSON and back, in every encoding, whole and in parts. */
import { describe, expect, it } from 'vitest'
import { makeFs } from '../support/make-fs.ts'

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, i) => i)
const BINARY = String.fromCharCode(...ALL_BYTES)
const HEX = Array.from(ALL_BYTES, (byte) => byte.toString(16).padStart(2, '0')).join('')
const UNITS = new Uint16Array(ALL_BYTES.slice().buffer)

interface Read {
  content: string
  bytes: number
  offset: number
  truncated: boolean
}

describe('all 256 byte values', () => {
  it.each([
    ['base64', btoa(BINARY)],
    ['hex', HEX],
    ['latin1', BINARY],
    ['utf-16le', String.fromCharCode(...UNITS)],
  ])('survive %s', async (encoding, content) => {
    const { fs, storage, tenant } = await makeFs()
    expect(await fs('write', { path: 'a', content, encoding })).toMatchObject({ bytes: 256 })
    const object = await storage.get(`${tenant}/users/alice/a`)
    expect([...object!.body]).toEqual([...ALL_BYTES])
    expect(await fs('read', { path: 'a', encoding })).toMatchObject({
      content,
      bytes: 256,
      encoding,
    })
  })

  it('are no UTF-8, and the refusal says what to do', async () => {
    const { fs, refusal } = await makeFs()
    await fs('write', { path: 'a', content: HEX, encoding: 'hex' })
    expect(await refusal('read', { path: 'a' })).toEqual([
      422,
      'The file is not UTF-8 text. Ask for it with the encoding base64.',
    ])
  })
})

it.each(['base64', 'hex', 'latin1', 'utf-16le'])(
  'a file of many chunks survives %s',
  async (encoding) => {
    const { fs } = await makeFs()
    const content = btoa(BINARY.repeat(300)).slice(0, 100_000)
    await fs('write', { path: 'a', content, encoding: 'base64' })
    const first = await fs<Read>('read', { path: 'a', encoding })
    await fs('write', { path: 'b', content: first.content, encoding })
    const second = await fs<Read>('read', { path: 'b', encoding: 'base64' })
    expect([first.bytes, second.content]).toEqual([75_000, content])
  },
)

it.each(['', ' ', 'a  \n', '\n\n\n', '\r\n', '\t', '\ufeff', 'é', '日本', '😀', '\0', '\u2028'])(
  'the text %j survives utf-8, latin1 where it can, and utf-16le',
  async (content) => {
    const { fs } = await makeFs()
    const isLatin = /^[\0-\xff]*$/.test(content)
    for (const encoding of ['utf-8', 'utf-16le', ...(isLatin ? ['latin1'] : [])]) {
      await fs('write', { path: 'a', content, encoding })
      expect(await fs('read', { path: 'a', encoding })).toMatchObject({ content, encoding })
    }
  },
)

describe('what cannot stand for bytes is refused', () => {
  const base64 =
    'content: it is not valid base64; use the standard alphabet, padding and no spaces.'
  const hex = 'content: it is not valid hex; use two digits for each byte and nothing else.'
  const encodings = 'encoding: must be one of utf-8, base64, hex, latin1, utf-16le'

  it.each([
    ['base64', 'a', base64],
    ['base64', 'ab=', base64],
    ['base64', 'ab===', base64],
    ['base64', '====', base64],
    ['base64', 'YWJj\n', base64],
    ['base64', 'YW Jj', base64],
    ['base64', '_-8=', base64],
    ['base64', 'ähnl', base64],
    ['hex', 'a', hex],
    ['hex', '0g', hex],
    ['hex', '0x10', hex],
    ['hex', 'ab cd', hex],
    ['latin1', '€', 'content: latin1 has no character above U+00FF.'],
    ['utf-8', '\ud800', 'content: it holds half a surrogate pair.'],
    ['utf-8', 'a\udc00b', 'content: it holds half a surrogate pair.'],
    ['utf8', 'a', encodings],
    ['UTF-8', 'a', encodings],
    ['ascii', 'a', encodings],
    ['', 'a', encodings],
  ])('%s %j', async (encoding, content, message) => {
    const { refusal, stored } = await makeFs()
    expect(await refusal('write', { path: 'a', content, encoding })).toEqual([422, message])
    expect(await stored()).toEqual({})
  })

  it('odd bytes as utf-16le', async () => {
    const { fs, refusal } = await makeFs()
    await fs('write', { path: 'a', content: 'abc' })
    expect(await refusal('read', { path: 'a', encoding: 'utf-16le' })).toEqual([
      422,
      'The file is not UTF-16 text: its bytes are odd in number. Ask for it with the encoding base64.',
    ])
  })
})

it('DEFAULT_ENCODING is used by those who do not say another', async () => {
  const { fs } = await makeFs({ env: { DEFAULT_ENCODING: 'hex' } })
  await fs('write', { path: 'a', content: '6869' })
  expect(await fs('read', { path: 'a' })).toMatchObject({ content: '6869', encoding: 'hex' })
  expect(await fs('read', { path: 'a', encoding: 'utf-8' })).toMatchObject({ content: 'hi' })
})

describe('a part of a file', () => {
  it.each([
    [{ offset: 0, length: 3 }, '012', 0, true],
    [{ offset: 4, length: 2 }, '45', 4, true],
    [{ offset: 8 }, '89', 8, false],
    [{ length: 10 }, '0123456789', 0, false],
    [{ length: 9 }, '012345678', 0, true],
    [{ offset: 8, length: 100 }, '89', 8, false],
    [{ offset: 10, length: 5 }, '', 10, false],
    [{ offset: 99 }, '', 99, false],
  ])('%j of ten digits is %j', async (range, content, offset, truncated) => {
    const { fs } = await makeFs()
    await fs('write', { path: 'a', content: '0123456789' })
    for (const encoding of ['utf-8', 'latin1']) {
      expect(await fs('read', { path: 'a', encoding, ...range })).toEqual({
        content,
        encoding,
        bytes: content.length,
        offset,
        total_bytes: 10,
        truncated,
      })
    }
  })

  it('that begins within a character begins after it, and says where', async () => {
    const { fs } = await makeFs()
    await fs('write', { path: 'a', content: 'a日b' })
    expect(await fs('read', { path: 'a', offset: 2, length: 3 })).toMatchObject({
      content: 'b',
      bytes: 1,
      offset: 4,
    })
  })

  it('has exact bytes in base64', async () => {
    const { fs } = await makeFs()
    await fs('write', { path: 'a', content: 'aé日😀' })
    const part = { path: 'a', offset: 2, length: 3, encoding: 'hex' }
    expect(await fs('read', part)).toMatchObject({ content: 'a9e697', bytes: 3, offset: 2 })
  })

  it.each([1, 2, 3, 4, 5, 7])(
    'never cuts a character of UTF-8, %i bytes at a time',
    async (length) => {
      const { fs } = await makeFs()
      const content = 'aé日😀\u{10ffff}zö\n'
      await fs('write', { path: 'a', content })
      let text = ''
      for (let offset = 0, isMore = true; isMore; offset += length) {
        const part = await fs<Read>('read', { path: 'a', offset, length })
        text += part.content
        isMore = part.truncated
      }
      expect(text).toBe(content)

      text = ''
      for (let offset = 0, isMore = true; isMore;) {
        const part = await fs<Read>('read', { path: 'a', offset, length })
        expect(part.bytes).toBe(new TextEncoder().encode(part.content).length)
        text += part.content
        offset = part.offset + part.bytes
        isMore = part.truncated
      }
      expect(text).toBe(content)
    },
  )

  it.each([
    [{ offset: -1 }, 'offset: must be at least 0'],
    [{ offset: 0.5 }, 'offset: must be a whole number'],
    [{ length: 0 }, 'length: must be at least 1'],
    [{ length: '1' }, 'length: must be a whole number'],
  ])('%j is refused', async (range, message) => {
    const { refusal } = await makeFs()
    expect(await refusal('read', { path: 'a', ...range })).toEqual([422, message])
  })
})

describe('MAX_FILE_SIZE', () => {
  const env = { MAX_FILE_SIZE: '8' }

  it('is the largest file that is written', async () => {
    const { fs, refusal, stored } = await makeFs({ env })
    await fs('write', { path: 'a', content: '12345678' })
    expect(await refusal('write', { path: 'a', content: '12345678€' })).toEqual([
      413,
      'The file would have 11 bytes, more than the 8 that are allowed. Split it, or write it from a script.',
    ])
    expect((await refusal('edit', { path: 'a', old: '1', new: '11' }))[0]).toBe(413)
    expect(await stored()).toEqual({ 'users/alice/a': '12345678' })
  })

  it('is the largest part that is read', async () => {
    const { fs, refusal, run } = await makeFs({ env })
    await run('file.save("a", "0123456789ab")')
    expect(await refusal('read', { path: 'a' })).toEqual([
      413,
      '"a" has 12 bytes, more than the 8 that are read at once. Ask for a part with offset and length, or for a link.',
    ])
    expect(await fs('read', { path: 'a', offset: 0 })).toMatchObject({
      content: '01234567',
      truncated: true,
    })
    expect(await fs('read', { path: 'a', offset: 2, length: 99 })).toMatchObject({
      content: '23456789',
      truncated: true,
    })
    expect((await refusal('edit', { path: 'a', old: '1', new: '2' }))[0]).toBe(413)
  })
})
