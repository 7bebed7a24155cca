/** Each tool as a model calls it: the same work as over HTTP, and the same answer in both forms. */
import { describe, expect, it } from 'vitest'
import { FILE_OPERATIONS, PLAIN_OPERATIONS } from '../support/operations.ts'
import { postTo } from '../support/call-route.ts'
import { runtimeStorage } from '../support/make-app.ts'
import { watchedStorage } from '../support/watched-storage.ts'
import { makeMcp, REVISIONS } from './make-mcp.ts'

type Made = Awaited<ReturnType<typeof makeMcp>>

const NOW = new Date('2026-11-16T09:00:00Z')
const at = () => makeMcp({ now: () => NOW })

/** Text that JSON, UTF-8 and diffs write in their own ways. */
const TEXT = 'eins\nzwei "2" \\ \u0007 \u{1f319} été\n'

/** What the tools find; the same before each call. */
async function setUp({ call }: Made): Promise<void> {
  await call('file_delete', { path: 'w', recursive: true, force: true })
  await call('file_write', { path: 'w/a.txt', content: TEXT })
  await call('file_write', { path: 'w/below/b.bin', content: 'AP8=', encoding: 'base64' })
  await call('folder_create', { path: 'w/empty' })
}

const PATCH = '--- a/w/a.txt\n+++ b/w/a.txt\n@@ -1 +1 @@\n-eins\n+uno\n'

/** Of every operation, what succeeds and what does not. */
const CASES: readonly (readonly [tool: string, input: object])[] = [
  ['file_read', { path: 'w/a.txt', length: 100 }],
  ['file_read', { path: 'w/a.txt', offset: 3, length: 4 }],
  ['file_read', { path: 'w/below/b.bin', encoding: 'hex', length: 1 }],
  ['file_read', { path: 'w/below/b.bin', encoding: 'utf-8', length: 9 }],
  ['file_read', { path: 'w/missing', length: 1 }],
  ['file_read', { path: 'w/below', length: 1 }],
  ['file_read', { path: '../w/a.txt', length: 1 }],
  ['file_read', { path: 'w/a.txt', encoding: 'ebcdic', length: 1 }],
  ['file_read', { path: 'w/a.txt', length: 0 }],
  ['file_read', {}],
  ['document_read', { path: 'w/a.txt', length: 100 }],
  ['document_read', { path: 'w/a.txt', offset: 3, length: 4 }],
  ['document_read', { path: 'w/below/b.bin', length: 9 }],
  ['document_read', { path: 'w/a.txt', pages: '1', length: 9 }],
  ['document_read', { path: 'w/missing', length: 1 }],
  ['file_write', { path: 'w/new/c.html', content: '<p>' }],
  ['file_write', { path: 'w/a.txt', content: '', force: false }],
  ['file_write', { path: 'w/a.txt/below', content: '' }],
  ['file_write', { path: 'w', content: '' }],
  ['file_write', { path: 'w/x', content: '*', encoding: 'base64' }],
  ['file_write', { path: 'w/x', content: 1 }],
  ['file_write', { path: 'w/x', content: '', mode: 'a' }],
  ['file_append', { path: 'w/a.txt', content: 'drei\n' }],
  ['file_append', { path: 'w', content: '' }],
  ['folder_list', { path: 'w', limit: 10 }],
  ['folder_list', { path: 'w', recursive: true, limit: 2 }],
  ['folder_list', { path: 'w/empty', limit: 1 }],
  ['folder_list', { path: 'w/missing', limit: 1 }],
  ['folder_list', { path: 'w/a.txt', limit: 1 }],
  ['folder_list', { limit: 1001 }],
  ['folder_list', { path: 'w', cursor: 'nonsense', limit: 1 }],
  ['folder_create', { path: 'w/made' }],
  ['folder_create', { path: 'w/empty' }],
  ['folder_create', { path: 'w/a.txt' }],
  ['folder_create', { path: 'w/none/made', recursive: false }],
  ['file_copy', { from: 'w/a.txt', to: 'w/b.txt', force: true }],
  ['file_copy', { from: 'w', to: 'w2', force: true }],
  ['file_copy', { from: 'w', to: 'w/in' }],
  ['file_move', { from: 'w', to: 'moved', force: true }],
  ['file_move', { from: 'w/missing', to: 'moved' }],
  ['file_move', { from: 'w/a.txt', to: 'w/a.txt' }],
  ['file_delete', { path: 'w/a.txt' }],
  ['file_delete', { path: 'w', recursive: true }],
  ['file_delete', { path: 'w' }],
  ['file_delete', { path: 'w/missing' }],
  ['file_delete', { path: 'w/missing', force: true }],
  ['file_delete', { path: '.', recursive: true }],
  ['file_exists', { path: 'w/a.txt' }],
  ['file_exists', { path: 'w/below' }],
  ['file_exists', { path: 'w/missing' }],
  ['file_exists', { path: '' }],
  ['file_info', { path: 'w/a.txt' }],
  ['file_info', { path: 'w/a.txt', sha256: true }],
  ['file_info', { path: 'w/below' }],
  ['file_info', { path: 'w/missing' }],
  ['file_edit', { path: 'w/a.txt', old: 'eins', new: 'uno' }],
  ['file_edit', { path: 'w/a.txt', old: 'e', new: 'E', all: true }],
  ['file_edit', { path: 'w/a.txt', old: 'e', new: 'E' }],
  ['file_edit', { path: 'w/a.txt', old: 'drei', new: '' }],
  ['file_edit', { path: 'w/a.txt', old: '', new: '' }],
  ['file_find', { path: 'w', pattern: '**/*.bin' }],
  ['file_find', { pattern: 'w/**', limit: 1 }],
  ['file_find', { pattern: '' }],
  ['file_search', { pattern: 'eins', limit: 10 }],
  ['file_search', { path: 'w', pattern: '^', context: 1, limit: 1 }],
  ['file_search', { pattern: '(', limit: 1 }],
  ['apply_patch', { patch: PATCH }],
  ['apply_patch', { patch: '--- /dev/null\n+++ b/w/new\n@@ -0,0 +1 @@\n+x\n' }],
  ['apply_patch', { patch: PATCH.replace('-eins', '-drei') }],
  ['apply_patch', { patch: 'no patch' }],
  ['get_file_link', { path: 'w/a.txt' }],
  ['get_file_link', { path: 'w', ttl_s: 60 }],
  ['get_file_link', { path: 'w/a.txt', download: true, ttl_s: 604_800 }],
  ['get_file_link', { path: 'w/missing' }],
  ['get_file_link', { path: 'w/a.txt', ttl_s: 59 }],
  ['get_upload_link', { path: 'w/in.csv', content_type: 'text/csv', max_bytes: 10 }],
  ['get_upload_link', { path: 'w' }],
  ['get_upload_link', { path: 'w/in.csv', max_bytes: 0 }],
  ['revoke_links', { path: 'w/gone' }],
  ['revoke_links', { path: 'w/gone', all: true }],
  ['save_result_page', { title: 'A page', content: TEXT }],
  ['save_result_page', { title: 'A page', content: '<b>x</b>', format: 'html' }],
  ['save_result_page', { title: 'A page', content: 'x', format: 'pdf' }],
  ['save_result_page', { title: ' ', content: 'x' }],
]

const isPlain = (tool: string) => PLAIN_OPERATIONS.some((operation) => operation.tool === tool)

function routeOf(tool: string): string {
  const { route } = [...FILE_OPERATIONS, ...PLAIN_OPERATIONS].find((one) => one.tool === tool)!
  return route!.slice('POST /'.length)
}

/** What is made by chance, and so never twice the same. */
function withoutChance(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/report_[0-9a-f]{12}/g, 'report_<id>')
    .replaceAll(/token=[\w-]+/g, 'token=<token>')
  return JSON.parse(text)
}

describe('a tool', () => {
  it('is tried with each operation there is, and both ways', () => {
    const tools = new Set(CASES.map(([tool]) => tool))
    const all = [...FILE_OPERATIONS, ...PLAIN_OPERATIONS].map(({ tool }) => tool)
    expect([...tools]).toEqual(all)
  })

  it.each(CASES)(
    '%s with %j answers as its route does, as text and as data',
    async (tool, input) => {
      const made = await at()
      const readsOnly = (await made.tools()).find(({ name }) => name === tool)!.annotations
        .readOnlyHint
      await setUp(made)
      const response = await postTo(made, routeOf(tool), input)
      const body = (await response.json()) as { error?: { message: string } }
      // Times and versions of what is only looked at must not change in between.
      if (!readsOnly) await setUp(made)
      const answer = await made.call(tool, input)

      const isRefused = response.status !== 200
      expect(answer.isError ?? false).toBe(isRefused)
      if (isPlain(tool) && isRefused) {
        expect(answer).toMatchObject({ content: [{ type: 'text', text: body.error!.message }] })
        expect(answer.structuredContent).toBeUndefined()
        return
      }
      expect(answer.content[0]!.type).toBe('text')
      expect(JSON.parse(answer.content[0]!.text!)).toEqual(answer.structuredContent)
      const { metadata, ...told } = answer.structuredContent
      const { metadata: ofRoute, ...toldByRoute } = body as { metadata?: object; url?: string }
      // A model gets each link once.
      if (tool === 'get_file_link') delete toldByRoute.url
      expect(withoutChance(told)).toEqual(withoutChance(toldByRoute))
      if (isPlain(tool)) return
      const named = { operation: routeOf(tool).slice(3), request_id: expect.any(String) as string }
      expect([ofRoute, metadata]).toEqual([named, named])
    },
  )

  it.each(REVISIONS)('answers in %s with the same', async (revision) => {
    const made = await at()
    await setUp(made)
    const found = await made.call('file_read', { path: 'w/a.txt' }, { revision })
    expect(found.structuredContent).toMatchObject({
      success: true,
      data: { content: TEXT, encoding: 'utf-8', truncated: false },
      error: null,
      metadata: { operation: 'read' },
    })
    const missing = await made.call('file_read', { path: 'w/missing' }, { revision })
    expect(missing.isError).toBe(true)
    expect(missing.structuredContent).toMatchObject({ success: false, data: null })
  })
})

describe('what there is to open', () => {
  it('is a block beside the text, which opens without a token', async () => {
    const made = await at()
    const { content } = await made.call('file_write', { path: 'w/é 1.csv', content: 'a;b' })
    const [text, link, ...rest] = content
    expect(text!.type).toBe('text')
    expect(link).toEqual({
      type: 'resource_link',
      uri: expect.stringMatching(/^https:\/\/moonbucket\.test\/files\/out\?path=/),
      name: 'w/é 1.csv',
      mimeType: 'text/csv; charset=utf-8',
      size: 3,
    })
    expect(rest).toEqual([])
    expect(await (await made.app.request(link!.uri!)).text()).toBe('a;b')
  })

  it.each([
    ['get_file_link', { path: 'w/a.txt' }, 'w/a.txt'],
    ['get_file_link', { path: 'w' }, 'w'],
    ['save_result_page', { title: 'T', content: 'x' }, expect.stringMatching(/^output\/report_/)],
  ])('%s with %j is what it was asked for', async (tool, input, name) => {
    const made = await at()
    await setUp(made)
    const { content } = await made.call(tool, input)
    const links = content.filter(({ type }) => type === 'resource_link')
    expect(links).toMatchObject([{ name }])
    expect((await made.app.request(links[0]!.uri!)).status).toBe(200)
  })

  it('is nothing where nothing was made', async () => {
    const made = await at()
    await setUp(made)
    for (const [tool, input] of [
      ['file_read', { path: 'w/a.txt' }],
      ['file_exists', { path: 'w/a.txt' }],
      ['file_write', { path: '..', content: '' }],
      ['get_upload_link', { path: 'w/in' }],
    ] as const) {
      const { content } = await made.call(tool, input)
      expect(content.map(({ type }) => type)).toEqual(['text'])
    }
  })
})

it('an upload link takes the bytes without a token, which a model then finds', async () => {
  const { app, call } = await at()
  const { structuredContent } = await call<{
    url: string
    method: string
    headers: Record<string, string>
  }>('get_upload_link', { path: 'in/rows.csv', content_type: 'text/csv' })
  const { url, method, headers } = structuredContent
  const sent = await app.request(url, { method, headers, body: 'a;b\n' })
  expect(sent.status).toBe(201)
  const { structuredContent: read } = await call('file_read', { path: 'in/rows.csv' })
  expect(read).toMatchObject({ data: { content: 'a;b\n' } })
})

it('a model that does not say how much gets a hundred entries of a folder, and a cursor to go on with', async () => {
  const { call, run } = await makeMcp()
  await run('for i = 1, 150 do io.open(("f/%03d"):format(i), "w"):close() end')
  type Page = { data: { entries: { name: string }[]; cursor: string | null } }
  const page = async (input: object) =>
    (await call<Page>('folder_list', { path: 'f', ...input })).structuredContent.data
  const first = await page({})
  expect(first.entries).toHaveLength(100)
  const second = await page({ cursor: first.cursor })
  expect(second).toMatchObject({ entries: { length: 50 }, cursor: null })
  const names = [...first.entries, ...second.entries].map(({ name }) => name)
  expect(names).toEqual(Array.from({ length: 150 }, (_, i) => String(i + 1).padStart(3, '0')))
})

describe('file_read', () => {
  it.each(REVISIONS)('holds memory no longer than its answer takes, in %s', async (revision) => {
    let most = 0
    const watching = watchedStorage(await runtimeStorage(), async (request) => {
      if (request !== 'get') return
      // By now an answer that streams has begun.
      await new Promise((resolve) => setTimeout(resolve, 1))
      most = Math.max(most, service.admission.usedBytes)
    })
    const { call, service } = await makeMcp({ storage: watching })
    await call('file_write', { path: 'a.txt', content: 'text' }, { revision })
    for (let i = 0; i < 3; i++) await call('file_read', { path: 'a.txt' }, { revision })
    expect([most > 0, service.admission.usedBytes]).toEqual([true, 0])
  })

  it.each([
    [{}, 'é'.repeat(8192), true],
    [{ length: 300_000 }, 'é'.repeat(131_072), true],
    [{ offset: 262_144, length: 300_000 }, 'é'.repeat(18_928), false],
  ])('of %j gives a model a part, and says whether there is more', async (part, content, more) => {
    const { call } = await makeMcp()
    await call('file_write', { path: 'long.txt', content: 'é'.repeat(150_000) })
    const answer = await call('file_read', { path: 'long.txt', ...part })
    const bytes = 2 * content.length
    expect(answer.structuredContent).toMatchObject({
      data: { content, bytes, total_bytes: 300_000, truncated: more },
    })
  })
})
