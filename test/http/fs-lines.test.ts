/** `read` by lines, and `info` with a digest. */
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../src/lib/crypto.ts'
import { Sha256 } from '../../src/lib/sha256.ts'
import { makeFs } from '../support/make-fs.ts'

const TEXT = 'eins\nzwei\r\n\ndrei 日\nvier'

describe('read by lines', () => {
  it.each([
    [{ from_line: 1, lines: 1 }, 'eins\n', 0, true],
    [{ from_line: 2, lines: 1 }, 'zwei\r\n', 5, true],
    [{ from_line: 2, lines: 2 }, 'zwei\r\n\n', 5, true],
    [{ lines: 3 }, 'eins\nzwei\r\n\n', 0, true],
    [{ from_line: 4 }, 'drei 日\nvier', 12, false],
    [{ from_line: 5, lines: 9 }, 'vier', 21, false],
    [{ from_line: 6 }, '', 25, false],
    [{ from_line: 2 ** 50 }, '', 25, false],
    [{ offset: 12, lines: 1 }, 'drei 日\n', 12, true],
    [{ from_line: 4, length: 6 }, 'drei 日', 12, true],
    [{ from_line: 2, lines: 2, length: 6 }, 'zwei\r\n', 5, true],
    [{ from_line: 1, lines: 1, encoding: 'hex' }, '65696e730a', 0, true],
  ])('of %j gives %j', async (range, content, offset, truncated) => {
    const { fs } = await makeFs()
    await fs('write', { path: 'a', content: TEXT })
    const data = await fs('read', { path: 'a', ...range })
    expect(data).toMatchObject({ content, offset, truncated, total_bytes: 25 })
  })

  it('goes beyond what is read at once, by little memory', async () => {
    const { fs, content } = await makeFs({ env: { MAX_FILE_SIZE: '3000000' } })
    const lines = Array.from({ length: 200_000 }, (_, i) => `line ${i}\n`)
    await content('big', { method: 'PUT', body: lines.join('') })
    expect(await fs('read', { path: 'big', from_line: 199_999, lines: 1 })).toMatchObject({
      content: 'line 199998\n',
      truncated: true,
    })
  })

  it('of a missing file and a folder is refused', async () => {
    const { fs, ask } = await makeFs()
    await fs('write', { path: 'd/x', content: '' })
    expect((await ask('read', { path: 'none', lines: 1 })).status).toBe(404)
    expect((await ask('read', { path: 'd', lines: 1 })).status).toBe(409)
  })
})

describe('info', () => {
  it('has the digest of a file on request', async () => {
    const { fs } = await makeFs()
    await fs('write', { path: 'd/a', content: 'abc' })
    const { sha256, ...rest } = await fs('info', { path: 'd/a', sha256: true })
    expect(sha256).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(rest).toEqual(await fs('info', { path: 'd/a' }))
    expect(await fs('info', { path: 'd', sha256: true })).toMatchObject({ sha256: null })
  })
})

describe('the digest in pieces', () => {
  it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000, 100_003])(
    'of %i bytes is that of all at once',
    async (length) => {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 31) % 256)
      for (const size of [7, 64, 100, 65_536]) {
        const hash = new Sha256()
        for (let at = 0; at < length; at += size) hash.update(bytes.subarray(at, at + size))
        expect(hash.hex()).toBe(await sha256Hex(bytes))
      }
    },
  )
})
