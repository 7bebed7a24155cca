/** What a client learns before it calls anything: tools, templates, what the server is. */
import { describe, expect, it } from 'vitest'
import { testQueue } from '../support/run-queue.ts'
import { makeMcp, REVISIONS, type Definition } from './make-mcp.ts'

/** By name: [readOnlyHint, destructiveHint, idempotentHint]; the last is left out if it only reads. */
const HINTS: Readonly<Record<string, readonly [boolean, boolean, boolean]>> = {
  execute_script: [false, true, false],
  run_saved_script: [false, true, false],
  list_saved_scripts: [true, false, true],
  file_read: [true, false, true],
  document_read: [true, false, true],
  file_write: [false, true, true],
  file_append: [false, false, false],
  folder_list: [true, false, true],
  folder_create: [false, false, true],
  file_copy: [false, true, true],
  file_move: [false, true, false],
  file_delete: [false, true, true],
  file_exists: [true, false, true],
  file_info: [true, false, true],
  file_edit: [false, true, false],
  file_find: [true, false, true],
  file_search: [true, false, true],
  apply_patch: [false, true, false],
  get_file_link: [true, false, true],
  get_upload_link: [false, true, false],
  revoke_links: [false, true, true],
  save_result_page: [false, false, false],
}

/** Of services that run scripts in the background, after the first. */
const RUN_HINTS: typeof HINTS = {
  get_run: [true, false, true],
  list_runs: [true, false, true],
  cancel_run: [false, true, true],
}

function annotationsOf([readOnlyHint, destructiveHint, idempotentHint]: readonly boolean[]) {
  return { readOnlyHint, destructiveHint, ...(!readOnlyHint && { idempotentHint }) }
}

describe('tools/list', () => {
  it.each(REVISIONS)('in %s has every tool, with what a host asks people by', async (revision) => {
    const { result } = await makeMcp()
    const { tools, nextCursor } = await result<{ tools: Definition[]; nextCursor?: string }>(
      'tools/list',
      {},
      { revision },
    )
    expect(nextCursor).toBeUndefined()
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(HINTS))
    for (const { name, annotations } of tools) {
      expect([name, annotations]).toEqual([name, annotationsOf(HINTS[name]!)])
    }
  })

  it('has tools for runs where there are runs in the background', async () => {
    const { tools } = await makeMcp({ runQueue: testQueue() })
    const found = (await tools()).filter(({ name }) => name in RUN_HINTS)
    expect(found.map(({ name }) => name)).toEqual(Object.keys(RUN_HINTS))
    for (const { name, annotations } of found) {
      expect([name, annotations]).toEqual([name, annotationsOf(RUN_HINTS[name]!)])
    }
    const fieldsOf = (all: readonly Definition[]) =>
      Object.keys(
        all.find(({ name }) => name === 'execute_script')!.inputSchema.properties as object,
      )
    expect(fieldsOf(await tools())).toContain('background')
    expect(fieldsOf(await (await makeMcp()).tools())).not.toContain('background')
  })

  it('has a title, and a description that no host cuts', async () => {
    const { tools } = await makeMcp({ runQueue: testQueue() })
    for (const { name, title, description } of await tools()) {
      expect([name, title]).toEqual([name, expect.stringMatching(/^[A-Z][\w ]{5,40}$/)])
      const bytes = new TextEncoder().encode(description).length
      expect([name, bytes > 40 && bytes < 2048]).toEqual([name, true])
    }
  })

  it('describes objects that take no other fields, and every field of them', async () => {
    const { tools } = await makeMcp()
    for (const { name, inputSchema, outputSchema } of await tools()) {
      expect([name, inputSchema]).toMatchObject([
        name,
        { type: 'object', additionalProperties: false },
      ])
      expect([name, outputSchema]).toMatchObject([name, { type: 'object' }])
      const { properties, required = [] } = inputSchema as {
        properties: Record<string, { description?: string; enum?: unknown; type?: unknown }>
        required?: string[]
      }
      expect([name, Object.keys(properties)]).toEqual([name, expect.arrayContaining(required)])
      for (const [field, schema] of Object.entries(properties)) {
        // What is to be chosen from a list explains itself, and the instructions show a path.
        const isClear =
          schema.description !== undefined || schema.enum !== undefined || field === 'path'
        expect([name, field, isClear]).toEqual([name, field, true])
      }
    }
  })

  it('says nothing with an empty text, of what it takes or answers', async () => {
    const { tools } = await makeMcp()
    expect(JSON.stringify(await tools())).not.toMatch(/"(?:title|description)":"\s*"/)
  })

  it('names a folder as an example where a folder is meant', async () => {
    const { tools } = await makeMcp()
    const { inputSchema } = (await tools()).find(({ name }) => name === 'folder_create')!
    const { path } = inputSchema.properties as { path: { description: string } }
    expect(path.description).toMatch(/^Such as [\w/]+$/)
  })

  it('says what a model gets that leaves a field out', async () => {
    const { tools } = await makeMcp()
    const list = await tools()
    const defaults = list.flatMap(({ name, inputSchema }) =>
      Object.entries(inputSchema.properties as Record<string, { default?: unknown }>).flatMap(
        ([field, schema]) => ('default' in schema ? [[name, field, schema.default]] : []),
      ),
    )
    expect(defaults).toEqual([
      ['execute_script', 'commit', 'on_close'],
      ['execute_script', 'plan', false],
      ['file_read', 'length', 16_384],
      ['document_read', 'length', 16_384],
      ['file_write', 'force', true],
      ['folder_list', 'recursive', false],
      ['folder_list', 'limit', 100],
      ['folder_create', 'recursive', true],
      ['file_copy', 'force', false],
      ['file_move', 'force', false],
      ['file_delete', 'recursive', false],
      ['file_delete', 'force', false],
      ['file_info', 'sha256', false],
      ['file_edit', 'all', false],
      ['file_find', 'limit', 100],
      ['file_search', 'context', 0],
      ['file_search', 'limit', 50],
      ['get_file_link', 'download', false],
      ['save_result_page', 'format', 'markdown'],
    ])
  })
})

describe('what a server is', () => {
  const capabilities = { tools: { listChanged: false }, resources: { listChanged: false } }
  const info = { name: 'moonbucket', title: 'Moonbucket', version: expect.any(String) }

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'is in the handshake of %s',
    async (protocolVersion) => {
      const { result } = await makeMcp()
      const params = {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: 'tests', version: '1' },
      }
      const headers = { 'MCP-Protocol-Version': undefined }
      const told = await result('initialize', params, { revision: '2025-06-18', headers })
      expect(told).toEqual({
        protocolVersion,
        capabilities,
        serverInfo: info,
        instructions: expect.stringContaining('execute_script'),
      })
    },
  )

  it('is in server/discover of 2026-07-28', async () => {
    const { result } = await makeMcp()
    expect(await result('server/discover')).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities,
      instructions: expect.stringContaining('execute_script'),
    })
  })

  it('takes an initialized notification without a word', async () => {
    const { send } = await makeMcp()
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const response = await send(initialized, { revision: '2025-06-18' })
    expect([response.status, await response.text()]).toEqual([202, ''])
  })

  it('gives no session to keep', async () => {
    const { ask } = await makeMcp()
    for (const revision of REVISIONS) {
      const { headers } = await ask('tools/list', {}, { revision })
      expect(headers.get('Mcp-Session-Id')).toBeNull()
    }
  })
})

describe('what may be cached', () => {
  it.each([
    ['server/discover', 'public'],
    ['tools/list', 'public'],
    ['resources/templates/list', 'public'],
    ['resources/list', 'private'],
    ['resources/read', 'private'],
  ])('of %s is %s, and the same for everybody where it is public', async (method, cacheScope) => {
    const { call, result } = await makeMcp()
    const asked: unknown[] = []
    for (const claims of [{ sub: 'alice' }, { sub: 'bob', scope: 'files:write files:read' }]) {
      await call('file_write', { path: 'a.txt', content: claims.sub }, { claims })
      const params = method === 'resources/read' ? { uri: 'moonbucket:///a.txt' } : {}
      const told = await result<{ cacheScope: string; ttlMs: number }>(method, params, { claims })
      expect(told.cacheScope).toBe(cacheScope)
      expect(told.ttlMs > 0).toBe(cacheScope === 'public')
      asked.push(told)
    }
    if (cacheScope === 'public') expect(asked[0]).toEqual(asked[1])
    else expect(asked[0]).not.toEqual(asked[1])
  })
})
