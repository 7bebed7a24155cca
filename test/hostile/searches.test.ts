/** Patterns, files and cursors that are made to take long, to take memory or to see too much. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { toBase64url } from '../../src/lib/encode.ts'
import { makeFs } from '../support/make-fs.ts'
import { watchedStorage } from '../support/watched-storage.ts'

interface Found {
  readonly matches: { path: string; line: number; text: string }[]
  readonly files: number
  readonly cursor: string | null
}

const MIB = 1024 * 1024

describe('a pattern', () => {
  it.each([
    ['(a+)+$', 'a'.repeat(99)],
    ['(a|a)+$', 'a'.repeat(99)],
    ['(.*)(.*)(.*)(.*)(.*)x$', 'a'.repeat(99)],
    ['(a?){90}a{90}$', 'a'.repeat(99)],
  ])('%s over 10 MB ends', async (pattern, line) => {
    const { fs, content } = await makeFs({ env: { MAX_FILE_SIZE: '20000000' } })
    await content('a', { method: 'PUT', body: `${line}!\n`.repeat(100_000) })
    expect(await fs('search', { pattern })).toMatchObject({ matches: [], cursor: null })
  })

  it.each([
    '(\\pL{0,900}){0,1}'.repeat(50),
    '((a{0,30}){0,30}){0,30}',
    'a{900}b{900}',
    '('.repeat(1000),
    '[\\pL\\pM\\pN]{1000}',
  ])('%s is refused before it takes anything', async (pattern) => {
    const { ask } = await makeFs()
    expect((await ask('search', { pattern })).status).toBe(422)
  })

  it.each(['$$', '(zzz)$$', '(zzz)$\\b$', '$$|(zzz)$$', '(?i)(zzz)$$'])(
    '%s asks each line once',
    async (pattern) => {
      const { fs, content } = await makeFs()
      await content('a', { method: 'PUT', body: 'one\n\ntwo\n' })
      const all = ['one', '', 'two'].map((text, i) => ({ path: 'a', line: i + 1, text }))
      const { matches } = await fs<Found>('search', { pattern })
      expect(matches).toEqual(pattern.startsWith('$$') ? all : [])
    },
  )

  it.each([
    ['\\s\\s+$', [4, 6]],
    ['[^a]{3}', [4, 5, 6]],
    ['[^-a]{2}[^a-]', [4, 5, 6]],
    ['b\ufffd', [5]],
    ['\ufffd\ufffd', [5]],
  ])('%s finds lines by their own numbers', async (pattern, lines) => {
    const { fs, content } = await makeFs()
    const invalid = new Uint8Array([0x62, 0xff, 0xfe])
    const body = new Blob(['a\n\n\n  \t\n', invalid, '\r\nxyz  \n'])
    await content('a', { method: 'PUT', body: await body.arrayBuffer() })
    const { matches } = await fs<Found>('search', { pattern })
    expect(matches.map(({ line }) => line)).toEqual(lines)
  })

  it('that nearly matches everywhere lets others have their turn', async () => {
    const { fs, content } = await makeFs({ env: { MAX_FILE_SIZE: '20000000' } })
    await content('a', { method: 'PUT', body: `${'a'.repeat(999)}\n`.repeat(7000) })
    let [last, longest] = [Date.now(), 0]
    const timer = setInterval(() => {
      longest = Math.max(longest, Date.now() - last)
      last = Date.now()
    }, 1)
    const start = Date.now()
    expect(await fs('search', { pattern: 'aa[c]' })).toMatchObject({ matches: [], cursor: null })
    clearInterval(timer)
    const share = Math.max(longest, Date.now() - last) / (Date.now() - start)
    expect(share).toBeLessThan(0.5)
  })

  it('that needs many states stops in time, and goes on by its cursor', async () => {
    const { fs, content } = await makeFs({
      env: { MAX_FILE_SIZE: '20000000', TIMEOUT_MS: '2000' },
    })
    const line = Array.from({ length: 100 }, (_, i) => 'ab'[((i * i * 7) % 3) & 1]).join('')
    await content('a', { method: 'PUT', body: `${line}\n`.repeat(100_000) })
    const found = await fs<Found>('search', { pattern: '(a|b)*a(a|b){40}c' })
    expect(found.matches).toEqual([])
  })
})

describe('a file', () => {
  it('of one line of 50 MB is not taken into memory', async () => {
    const storage = memoryStorage()
    let most = 0
    const { fs, tenant } = await makeFs({
      storage: {
        ...storage,
        async getStream(key, options) {
          const object = (await storage.getStream(key, options))!
          const piece = new Uint8Array(64 * 1024).fill(97)
          let left = (50 * MIB) / piece.length
          const body = new ReadableStream<Uint8Array>({
            pull(controller) {
              most = Math.max(most, left)
              if (left-- > 0) controller.enqueue(piece)
              else controller.close()
            },
          })
          return { ...object, body }
        },
      },
    })
    await storage.put(`${tenant}/users/alice/a`, new Uint8Array([97]))
    expect(await fs('search', { pattern: 'b' })).toMatchObject({ matches: [], files: 1 })
    const { matches } = await fs<Found>('search', { pattern: 'a{500}' })
    expect(matches).toEqual([{ path: 'a', line: 1, text: `${'a'.repeat(500)}…` }])
    expect(most).toBe(800)
  })

  it('with a match in every line does not make a large answer', async () => {
    const { send, content } = await makeFs()
    await content('a', { method: 'PUT', body: `${'x'.repeat(480)}\n`.repeat(10_000) })
    const body = JSON.stringify({ pattern: 'x', context: 10, limit: 1000 })
    const response = await send('/fs/search', { method: 'POST', body })
    expect((await response.text()).length).toBeLessThan(40_000)
  })

  it('that is replaced while it is read gives lines of one version', async () => {
    let isOver = false
    const storage = watchedStorage(
      memoryStorage(),
      () => {},
      async (request) => {
        if (isOver || request !== 'getStream') return
        isOver = true
        await made.fs('write', { path: 'a', content: 'new\n'.repeat(3) })
      },
    )
    const made = await makeFs({ storage })
    await made.fs('write', { path: 'a', content: 'old\n'.repeat(3) })
    const { matches } = await made.fs<Found>('search', { pattern: '.' })
    expect(new Set(matches.map(({ text }) => text)).size).toBe(1)
  })
})

describe('many files', () => {
  it('are searched in parts', async () => {
    const { fs, storage, tenant } = await makeFs({ storage: memoryStorage() })
    for (let i = 0; i < 2_500; i++) {
      const key = `${tenant}/users/alice/${String(i).padStart(4, '0')}`
      await storage.put(key, new TextEncoder().encode(i % 1000 === 7 ? 'x' : 'y'))
    }
    const found: string[] = []
    let cursor: string | null | undefined
    const sizes: number[] = []
    while (cursor !== null) {
      const page: Found = await fs('search', { pattern: 'x', ...(cursor && { cursor }) })
      found.push(...page.matches.map(({ path }) => path))
      sizes.push(page.files)
      cursor = page.cursor
    }
    expect([found, sizes]).toEqual([
      ['0007', '1007', '2007'],
      [1000, 1000, 500],
    ])
  })

  it('that no glob matches end the request with a cursor', async () => {
    const storage = memoryStorage()
    const { fs } = await makeFs({
      storage: {
        ...storage,
        async *list(prefix, { startAfter = '' } = {}) {
          if (!prefix.includes('/users/')) return
          for (let i = 0; i < 100_000; i++) {
            const key = `${prefix}${String(i).padStart(6, '0')}`
            const object = { key, bytes: 1, etag: 'e', modifiedAt: new Date(0) }
            if (key > startAfter) yield { kind: 'object', object }
          }
        },
      },
    })
    const input = { pattern: 'x', glob: '*.csv' }
    let { cursor } = await fs<Found>('search', input)
    let pages = 1
    for (; cursor !== null; pages++) ({ cursor } = await fs<Found>('search', { ...input, cursor }))
    expect(pages).toBe(6)
  })
})

describe('a cursor', () => {
  const encode = (value: unknown) => toBase64url(new TextEncoder().encode(JSON.stringify(value)))

  async function makeCursor() {
    const made = await makeFs()
    for (const path of ['d/a', 'secret/a']) await made.fs('write', { path, content: 'x1\nx2\n' })
    const input = { pattern: 'x', path: 'd', limit: 1 }
    const { cursor } = await made.fs<Found>('search', input)
    const [question] = JSON.parse(
      new TextDecoder().decode(
        Uint8Array.from(atob(cursor!.replaceAll('-', '+').replaceAll('_', '/')), (c) =>
          c.charCodeAt(0),
        ),
      ),
    ) as [string]
    return { ...made, input, cursor: cursor!, question }
  }

  it.each([
    ['pattern', { pattern: 'x1' }],
    ['folder', { path: 'secret' }],
    ['glob', { glob: '*' }],
  ])('of another %s is refused', async (_, other) => {
    const { refusal, input, cursor } = await makeCursor()
    expect(await refusal('search', { ...input, ...other, cursor })).toEqual([
      422,
      'cursor: does not belong to this search. Leave it out to begin again.',
    ])
  })

  it.each([
    ['secret/a', null],
    ['../bob/a', null],
    ['/d/a', null],
    ['d/../secret/a', null],
    ['', null],
    ['d/a', { etag: 'e', start: -1, line: 0, seen: 0 }],
    ['d/a', { etag: 'e', start: 0.5, line: 0, seen: 0 }],
    ['d/a', { etag: 'e', start: 0, line: 1e300, seen: 0 }],
    ['d/a', { etag: 'e', start: 0, line: 0, seen: 0, more: 1 }],
    ['d/a', 'x'],
  ])('that was made by hand for %j and %j is refused', async (path, inFile) => {
    const { ask, input, question } = await makeCursor()
    const cursor = encode([question, path, inFile])
    expect((await ask('search', { ...input, cursor })).status).toBe(422)
  })

  it.each(['', 'x', '%', 'bnVsbA', 'x'.repeat(100_000), encode([]), encode([[], {}, 1])])(
    'that is none (%.20s) is refused',
    async (cursor) => {
      const { ask, input } = await makeCursor()
      expect((await ask('search', { ...input, cursor })).status).toBe(422)
    },
  )

  it('beyond the end of a file, or inside a line, harms nobody', async () => {
    const { fs, input, question } = await makeCursor()
    const { etag } = await fs<{ etag: string }>('info', { path: 'd/a' })
    for (const start of [1, 4, 6, 7, 2 ** 48]) {
      const cursor = encode([question, 'd/a', { etag, start, line: 0, seen: 0 }])
      expect(await fs('search', { ...input, cursor })).toMatchObject({ files: 1 })
    }
  })
})
