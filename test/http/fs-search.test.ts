/** `search` over HTTP: which lines it finds, and how it goes on. */
import { describe, expect, it } from 'vitest'
import { makeFs } from '../support/make-fs.ts'

interface Found {
  readonly matches: {
    path: string
    line: number
    text: string
    before?: string[]
    after?: string[]
  }[]
  readonly files: number
  readonly skipped: string[]
  readonly cursor: string | null
}

async function makeFiles(files: Record<string, string>) {
  const made = await makeFs()
  for (const [path, content] of Object.entries(files)) await made.fs('write', { path, content })
  const search = (input: object) => made.fs<Found>('search', input)
  /** As `path:line:text`. */
  const lines = async (input: object) =>
    (await search(input)).matches.map(({ path, line, text }) => `${path}:${line}:${text}`)
  /** Everything, page by page. */
  async function all(input: object) {
    const found: string[] = []
    let cursor: string | null | undefined
    let pages = 0
    for (; cursor !== null; pages++) {
      const page = await search({ ...input, ...(cursor && { cursor }) })
      found.push(...page.matches.map(({ path, line, text }) => `${path}:${line}:${text}`))
      cursor = page.cursor
    }
    return { found, pages }
  }
  return { ...made, search, lines, all }
}

const FILES = {
  'a.txt': 'eins\nzwei\ndrei\n',
  'd/b.csv': 'id,name\n1,zwei\n',
  'd/e/c.txt': 'Zwei\nzwei',
  'share/s.txt': 'zwei\n',
}

describe('a search', () => {
  it('finds lines in all files, in the order of keys', async () => {
    const { search } = await makeFiles(FILES)
    expect(await search({ pattern: 'z.ei' })).toEqual({
      matches: [
        { path: 'a.txt', line: 2, text: 'zwei' },
        { path: 'd/b.csv', line: 2, text: '1,zwei' },
        { path: 'd/e/c.txt', line: 2, text: 'zwei' },
        { path: 'share/s.txt', line: 1, text: 'zwei' },
      ],
      files: 4,
      skipped: [],
      cursor: null,
    })
  })

  it.each([
    [{ pattern: 'zwei', path: 'd' }, ['d/b.csv:2:1,zwei', 'd/e/c.txt:2:zwei']],
    [{ pattern: '(?i)^ZWEI$', path: 'd' }, ['d/e/c.txt:1:Zwei', 'd/e/c.txt:2:zwei']],
    [{ pattern: '(?i)^ZWEI$', path: 'd/e/c.txt' }, ['d/e/c.txt:1:Zwei', 'd/e/c.txt:2:zwei']],
    [{ pattern: 'zwei', glob: '*.txt' }, ['a.txt:2:zwei']],
    [{ pattern: 'zwei', glob: '**/*.txt', path: 'd' }, ['d/e/c.txt:2:zwei']],
    [{ pattern: '\\Azwei\\z', path: 'a.txt' }, ['a.txt:2:zwei']],
    [{ pattern: '(?-m)^zwei$', path: 'a.txt' }, ['a.txt:2:zwei']],
    [{ pattern: 'eins.zwei|eins\\nzwei|eins[^x]zwei', path: 'a.txt' }, []],
    [{ pattern: 'x*', path: 'a.txt' }, ['a.txt:1:eins', 'a.txt:2:zwei', 'a.txt:3:drei']],
    [{ pattern: '\\bdrei\\b' }, ['a.txt:3:drei']],
    [{ pattern: '\\x7awei', path: 'a.txt' }, ['a.txt:2:zwei']],
    [{ pattern: '[[:^alpha:]dz]w?ei?', path: 'a.txt' }, ['a.txt:2:zwei']],
    [{ pattern: 'z\\141?wei', path: 'a.txt' }, ['a.txt:2:zwei']],
    [{ pattern: 'ei{1}n?s?q*$', path: 'a.txt' }, ['a.txt:1:eins', 'a.txt:2:zwei', 'a.txt:3:drei']],
    [{ pattern: '1\\,zwei' }, ['d/b.csv:2:1,zwei']],
    [{ pattern: '[^a-z]wei' }, ['d/e/c.txt:1:Zwei']],
  ])('of %j finds %j', async (input, wanted) => {
    const { lines } = await makeFiles(FILES)
    expect(await lines(input)).toEqual(wanted)
  })

  it('takes both kinds of line ends, a byte order mark and bytes that are no text', async () => {
    const { fs, lines } = await makeFiles({ crlf: '\ufeffeins\r\nzwei\r\n\r\n' })
    await fs('write', { path: 'bytes', content: '61ff620a', encoding: 'hex' })
    expect(await lines({ pattern: '^(eins|zwei|)$' })).toEqual([
      'crlf:1:eins',
      'crlf:2:zwei',
      'crlf:3:',
    ])
    expect(await lines({ pattern: '^a.b$' })).toEqual(['bytes:1:a\ufffdb'])
  })

  it('names the binary files that it left out', async () => {
    const { fs, search } = await makeFiles({ a: 'x' })
    await fs('write', { path: 'b', content: '780078', encoding: 'hex' })
    expect(await search({ pattern: 'x' })).toMatchObject({ files: 1, skipped: ['b'] })
  })

  it('gives each line around a match once', async () => {
    const { search } = await makeFiles({ a: '1\n2\nx3\n4\nx5\nx6\n7\n8\n9\n10\nx11' })
    const { matches } = await search({ pattern: 'x', context: 2 })
    expect(matches.map(({ text, before, after }) => [before, text, after])).toEqual([
      [['1', '2'], 'x3', ['4']],
      [[], 'x5', []],
      [[], 'x6', ['7', '8']],
      [['9', '10'], 'x11', []],
    ])
  })

  it('gives lines around matches in long files too', async () => {
    const lines = Array.from({ length: 50_000 }, (_, i) =>
      i % 20_000 === 19_999 ? `x${i}` : `${i}`,
    )
    const { search } = await makeFiles({ a: lines.join('\n') })
    const { matches } = await search({ pattern: 'x', context: 1 })
    expect(matches).toEqual([
      { path: 'a', line: 20_000, text: 'x19999', before: ['19998'], after: ['20000'] },
      { path: 'a', line: 40_000, text: 'x39999', before: ['39998'], after: ['40000'] },
    ])
  })

  it('shows the part of a long line that matches', async () => {
    const { search } = await makeFiles({ a: `${'a'.repeat(3000)}needle${'b'.repeat(3000)}` })
    const { matches } = await search({ pattern: 'needle' })
    expect(matches[0]!.text).toBe(`…${'a'.repeat(100)}needle${'b'.repeat(394)}…`)
  })

  it.each([
    [1, 0],
    [2, 0],
    [3, 1],
    [7, 2],
  ])('goes on by its cursor, with a limit of %i and a context of %i', async (limit, context) => {
    const { all } = await makeFiles({ a: 'x1\nx2\n\nx4\nx5\n\n\n\nx9\n', b: 'no', c: 'x1' })
    const { found } = await all({ pattern: 'x', limit, context })
    expect(found).toEqual(['a:1:x1', 'a:2:x2', 'a:4:x4', 'a:5:x5', 'a:9:x9', 'c:1:x1'])
  })

  it('goes on in long files and after full answers', async () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `${'-'.repeat(100)} x${i}`)
    const { all } = await makeFiles({ a: lines.join('\n'), b: 'x' })
    const { found, pages } = await all({ pattern: 'x', limit: 1000 })
    expect(found).toEqual([...lines.map((line, i) => `a:${i + 1}:${line}`), 'b:1:x'])
    expect(pages).toBeGreaterThan(10)
  })

  it('begins a file again that was changed meanwhile', async () => {
    const { fs, search } = await makeFiles({ a: 'x1\nx2\nx3\n' })
    const { cursor } = await search({ pattern: 'x', limit: 2 })
    await fs('write', { path: 'a', content: 'x4\nx5\n' })
    const { matches } = await search({ pattern: 'x', limit: 2, cursor })
    expect(matches.map(({ text }) => text)).toEqual(['x4', 'x5'])
  })

  it.each([
    ['(ab', 'missing closing ) at character 1'],
    ['a(b(c)', 'missing closing ) at character 2'],
    ['ab)', 'unexpected ) at character 3'],
    ['ab[c', 'missing closing ] at character 3'],
    ['a**', 'invalid nested repetition operator at character 2'],
    ['a{1001}', 'invalid repeat count at character 2'],
    ['(?=x)', 'invalid or unsupported Perl syntax at character 1'],
    ['ab\\', 'trailing backslash at end of expression at character 3'],
    ['(a)\\1', 'invalid escape sequence at character 4'],
  ])('refuses the pattern %s: %s', async (pattern, message) => {
    const { refusal } = await makeFs()
    const [status, told] = await refusal('search', { pattern })
    expect([status, told!.split('. ')[0]]).toEqual([422, `pattern: ${message}`])
  })

  it.each([
    ['none', 404],
    ['a.txt/below', 404],
  ])('of %s is refused', async (path, status) => {
    const { ask } = await makeFiles(FILES)
    expect((await ask('search', { pattern: 'x', path })).status).toBe(status)
  })
})
