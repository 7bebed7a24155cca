/** Files as resources: what a host lists, lets people pick and reads. */
import { describe, expect, it } from 'vitest'
import { ODD_PATHS } from '../support/bad-paths.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { runtimeStorage, type MakeAppOptions } from '../support/make-app.ts'
import { makeMcp, REVISIONS, type AskOptions } from './make-mcp.ts'

interface Resource {
  readonly uri: string
  readonly name: string
  readonly mimeType: string
  readonly size: number
  readonly annotations: { readonly lastModified: string }
}

interface Page {
  readonly resources: Resource[]
  readonly nextCursor?: string
}

interface Content {
  readonly uri: string
  readonly mimeType: string
  readonly text?: string
  readonly blob?: string
}

async function makeResources(options: MakeAppOptions = {}) {
  const made = await makeMcp(options)
  const write = (path: string, content: string, encoding = 'utf-8', ask: AskOptions = {}) =>
    made.call('file_write', { path, content, encoding }, ask)
  async function read(uri: string, ask: AskOptions = {}): Promise<Content> {
    const { contents } = await made.result<{ contents: Content[] }>('resources/read', { uri }, ask)
    expect(contents).toHaveLength(1)
    return contents[0]!
  }
  const list = (cursor?: string, ask: AskOptions = {}) =>
    made.result<Page>('resources/list', cursor === undefined ? {} : { cursor }, ask)
  /** The names of every page. */
  async function listAll(ask: AskOptions = {}): Promise<string[][]> {
    const pages: string[][] = []
    for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined;) {
      const page: Page = await list(cursor, ask)
      pages.push(page.resources.map(({ name }) => name))
      cursor = page.nextCursor
    }
    return pages
  }
  const refusal = (uri: unknown, ask: AskOptions = {}) => made.fault('resources/read', { uri }, ask)
  return { ...made, write, read, list, listAll, refusal }
}

const INVALID = -32_602
const NO_ADDRESS =
  'Not a file of this service. The address must look like moonbucket:///output/rows.csv'

describe('resources/list', () => {
  it('goes through the folders of a token that has some only', async () => {
    const { write, listAll, fault } = await makeResources()
    for (const path of ['a/1.txt', 'a/2.txt', 'b/3.txt', 'c/4.txt']) await write(path, path)
    const ask = { claims: { paths: ['a', 'missing', 'c/4.txt', 'c'] } }
    expect((await listAll(ask)).flat()).toEqual(['a/1.txt', 'a/2.txt', 'c/4.txt'])
    expect(await fault('resources/list', { cursor: '9:' }, ask)).toEqual([
      INVALID,
      'cursor: does not belong to this folder. Leave it out to begin again.',
    ])
  })

  it.each(REVISIONS)('in %s tells of every file, and of no folder', async (revision) => {
    const { call, write, list } = await makeResources()
    await write('a.txt', '1')
    await write('b/c.html', '22')
    await write('share/d.bin', 'AP8=', 'base64')
    await call('folder_create', { path: 'empty' })
    const { resources, nextCursor } = await list(undefined, { revision })
    const lastModified = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const told = (name: string, mimeType: string, size: number) => ({
      uri: `moonbucket:///${name}`,
      name,
      mimeType,
      size,
      annotations: { lastModified },
    })
    expect(resources).toEqual([
      told('a.txt', 'text/plain; charset=utf-8', 1),
      told('b/c.html', 'text/html; charset=utf-8', 2),
      told('share/d.bin', 'application/octet-stream', 2),
    ])
    expect(nextCursor).toBeUndefined()
  })

  it('comes in pages, each file once', async () => {
    const { run, listAll } = await makeResources()
    await run('for i = 1, 230 do io.open(("d%d/f%03d"):format(i % 3, i), "w"):close() end')
    const pages = await listAll()
    expect(pages).toHaveLength(3)
    expect(pages.every(({ length }) => length <= 100)).toBe(true)
    const names = pages.flat()
    expect(names).toHaveLength(230)
    expect(names).toEqual([...new Set(names)].sort())
  })

  it.each(['', 'nonsense', 'W10', btoa('["","../x","file"]').replaceAll('=', '')])(
    'refuses the cursor %j',
    async (cursor) => {
      const { fault, write } = await makeResources()
      await write('a', '')
      const sentence = 'cursor: does not belong to this folder. Leave it out to begin again.'
      expect(await fault('resources/list', { cursor })).toEqual([INVALID, sentence])
    },
  )

  it('says that the store is down, and no more', async () => {
    const storage = failingStorage(await runtimeStorage(), ['list'])
    const { fault, events } = await makeResources({ storage })
    const sentence = 'The store cannot be reached right now. Try again shortly.'
    expect(await fault('resources/list')).toEqual([-32_603, sentence])
    expect(events).toMatchObject([{ event: 'fault', where: 'mcp resources' }])
  })
})

it('resources/templates/list says how an address is made of a path', async () => {
  const { result, write, read } = await makeResources()
  const { resourceTemplates } = await result<{ resourceTemplates: { uriTemplate: string }[] }>(
    'resources/templates/list',
  )
  expect(resourceTemplates).toMatchObject([{ uriTemplate: 'moonbucket:///{+path}' }])
  await write('output/rows.csv', 'a;b')
  const uri = resourceTemplates[0]!.uriTemplate.replace('{+path}', 'output/rows.csv')
  expect((await read(uri)).text).toBe('a;b')
})

describe('resources/read', () => {
  it.each(REVISIONS)('in %s gives text as text', async (revision) => {
    const { write, read } = await makeResources()
    const uri = 'moonbucket:///a.md'
    const mimeType = 'text/markdown; charset=utf-8'
    for (const text of ['\ufeffé "\\\n\u{1f319}', '']) {
      await write('a.md', text)
      expect(await read(uri, { revision })).toEqual({ uri, mimeType, text })
    }
  })

  it.each([
    ['bytes that are no UTF-8', '/v8A', 'a.txt'],
    ['text with a NUL in it', 'YQBi', 'b.txt'],
    ['an image', 'iVBORw0KGgo=', 'c.png'],
  ])('gives %s in base64', async (_, blob, name) => {
    const { write, read } = await makeResources()
    await write(name, blob, 'base64')
    const content = await read(`moonbucket:///${name}`)
    expect([content.blob, content.text]).toEqual([blob, undefined])
  })

  it.each([
    ...ODD_PATHS.map(([, path]) => path),
    'e\u0301.txt',
    '100%.csv',
    'a#b.txt',
    'a?b=c&d.txt',
    "it's (1) [2] {3} !*~'.txt",
    '"quoted" <tag>.txt',
    'a:b;c,d@e=f+g$h.txt',
  ])('reads %j under the address it is listed with', async (name) => {
    const { write, list, read } = await makeResources()
    await write(name, name)
    const { resources } = await list()
    expect(resources.map((resource) => resource.name)).toEqual([name])
    const { uri } = resources[0]!
    expect(uri).toMatch(/^moonbucket:\/\/\/[!-~]+$/)
    for (const revision of REVISIONS) {
      expect(await read(uri, { revision })).toMatchObject({ uri, text: name })
    }
  })

  it.each([
    'moonbucket:///missing',
    'moonbucket:///b',
    'moonbucket:///a.txt/c',
    'moonbucket:///%252e%252e/a.txt',
    'moonbucket:///a.txt?x=1',
    'moonbucket:///a.txt#x',
  ])('does not find %s', async (uri) => {
    const { ask, write } = await makeResources()
    await write('a.txt', 'secret')
    await write('b/c.txt', 'secret')
    for (const revision of REVISIONS) {
      const { answer } = await ask('resources/read', { uri }, { revision })
      const message = `Resource not found: ${uri}`
      expect(answer.error).toEqual({ code: INVALID, message, data: { uri } })
    }
  })

  it.each([
    ['moonbucket:///', 'path cannot be empty'],
    ['moonbucket:///%2E%2E%2Fa.txt', "path cannot contain '..' traversal"],
    ['moonbucket:////etc/passwd', 'path must be relative'],
    ['moonbucket:///%2Fetc/passwd', 'path must be relative'],
    ['moonbucket:///a%00.txt', 'path cannot contain null bytes'],
    ['moonbucket:///b/', 'path is not valid: names a folder'],
    ['moonbucket:///%', NO_ADDRESS],
    ['moonbucket:///%zz', NO_ADDRESS],
    ['moonbucket:///%ff', NO_ADDRESS],
    ['moonbucket:///%C0%AE%C0%AE/a.txt', NO_ADDRESS],
    ['moonbucket:///%ED%A0%80', NO_ADDRESS],
    ['moonbucket://a.txt', NO_ADDRESS],
    ['moonbucket://other-tenant/a.txt', NO_ADDRESS],
    ['MOONBUCKET:///a.txt', NO_ADDRESS],
    [' moonbucket:///a.txt', NO_ADDRESS],
    ['FILE:///etc/passwd', NO_ADDRESS],
    ['https://moonbucket.test/files/out?path=a.txt', NO_ADDRESS],
    ['a.txt', NO_ADDRESS],
    ['', NO_ADDRESS],
    ['__proto__', NO_ADDRESS],
  ])('refuses %s', async (uri, sentence) => {
    const { refusal, write } = await makeResources()
    await write('a.txt', 'secret')
    for (const revision of REVISIONS) {
      expect(await refusal(uri, { revision })).toEqual([INVALID, sentence])
    }
  })

  it.each([[1], [null], [{}], [['moonbucket:///a.txt']], [undefined]])(
    'refuses the address %j',
    async (uri) => {
      const { refusal } = await makeResources()
      const [, message] = await refusal(uri)
      expect(message).toContain('uri')
    },
  )

  it('reads one file by more than one spelling of its path', async () => {
    const { write, read } = await makeResources()
    await write('b/a.txt', 'x')
    for (const path of ['b/a.txt', 'b%2Fa.txt', './b//a.txt', '%62/a.txt']) {
      expect((await read(`moonbucket:///${path}`)).text).toBe('x')
    }
  })

  it('refuses a file that is too large, with a way to read it', async () => {
    const { run, refusal, read, call } = await makeResources({ env: { MAX_FILE_SIZE: '100' } })
    await run('file.save("fits", ("x"):rep(100)) file.save("large", ("x"):rep(101))')
    expect((await read('moonbucket:///fits')).text).toBe('x'.repeat(100))
    const sentence =
      'This file has 101 bytes, more than the 100 that can be read at once. Use file_read with offset and length, or get_file_link.'
    expect(await refusal('moonbucket:///large')).toEqual([INVALID, sentence])
    const part = await call('file_read', { path: 'large', offset: 90, length: 100 })
    expect(part.structuredContent).toMatchObject({ data: { bytes: 11, truncated: false } })
  })

  it('keeps to the paths of a token', async () => {
    const { write, read, refusal } = await makeResources()
    await write('in/a', '1')
    await write('out/b', '2')
    const claims = { paths: ['in'] }
    expect((await read('moonbucket:///in/a', { claims })).text).toBe('1')
    expect(await refusal('moonbucket:///out/b', { claims })).toEqual([
      INVALID,
      'path is not allowed',
    ])
  })

  it('says that the store is down, and no more', async () => {
    const storage = failingStorage(await runtimeStorage(), ['getStream'])
    const { refusal, events } = await makeResources({ storage })
    const sentence = 'The store cannot be reached right now. Try again shortly.'
    expect(await refusal('moonbucket:///a')).toEqual([-32_603, sentence])
    const error = expect.stringContaining('the store is down for getStream') as string
    expect(events).toMatchObject([{ event: 'fault', where: 'mcp resources', error }])
  })
})

it.each([
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'completion/complete',
  'logging/setLevel',
  'tasks/list',
  'sampling/createMessage',
])('%s is an unknown method', async (method) => {
  const { fault } = await makeResources()
  for (const revision of REVISIONS) {
    expect(await fault(method, { uri: 'moonbucket:///a' }, { revision })).toEqual([
      -32_601,
      'Method not found',
    ])
  }
})
