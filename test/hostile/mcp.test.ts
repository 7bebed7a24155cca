/** What a client of `/mcp` may try: more than its share, runs without an owner, answers that tell too much. */
import { describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '../../src/operations/log-event.ts'
import {
  makeMcp,
  messagesOf,
  readMessages,
  requestOf,
  REVISIONS,
  type AskOptions,
} from '../mcp/make-mcp.ts'
import { makeGate } from '../support/gate.ts'
import { runtimeStorage } from '../support/make-app.ts'
import { gatedStorage } from '../support/gated-storage.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const LEGACY = { revision: '2025-06-18' } as const

const runOf = (script: string, ask: AskOptions = LEGACY, id: unknown = 1) =>
  requestOf('tools/call', { name: 'execute_script', arguments: { script } }, ask, id)

type Made = Awaited<ReturnType<typeof makeMcp>>

const runsOf = ({ events }: Made) => events.filter((one): one is RunEvent => one.event === 'run')

/** Waits until this many runs are over and nothing of them is left. */
async function endOfRuns(made: Made, count: number): Promise<RunEvent[]> {
  await vi.waitUntil(() => runsOf(made).length === count, 20_000)
  expect(made.service.admission.usedBytes).toBe(0)
  return runsOf(made)
}

describe('a batch', () => {
  it('cannot cancel its own messages and so hold its connection for ever', async () => {
    const { send } = await makeMcp()
    const cancel = (requestId: unknown) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId },
    })
    for (const batch of [
      [runOf('return 1'), cancel(1)],
      [cancel(1), runOf('return 1'), cancel('1')],
    ]) {
      const messages = await messagesOf(await send(batch, LEGACY))
      expect(messages).toMatchObject([{ id: 1, result: { structuredContent: { result: 1 } } }])
    }
    expect((await send([cancel(1)], LEGACY)).status).toBe(202)
  })

  it('cannot use an id twice and so have runs that do not end with it', async () => {
    const made = await makeMcp()
    const response = await made.send([runOf('return 1'), runOf('return 2')], LEGACY)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      error: { code: -32_600, message: 'Every request in a batch needs its own id.' },
    })
    expect(made.events).toEqual([])
  })

  it('may hold an answer under the id of a request', async () => {
    const { send } = await makeMcp()
    const answer = { jsonrpc: '2.0', id: 1, result: {} }
    const messages = await messagesOf(await send([runOf('return 1'), answer], LEGACY))
    expect(messages).toMatchObject([{ id: 1, result: { structuredContent: { result: 1 } } }])
  })

  it('ends all its runs when its client goes', async () => {
    const { storage, reached } = await gatedStorage()
    const made = await makeMcp({ storage })
    const batch = [1, 2, 3, '1'].map((id) => runOf('io.open("gate")', LEGACY, id))
    const response = await made.send(batch, LEGACY)
    await reached
    await response.body!.cancel()
    const runs = await endOfRuns(made, 4)
    expect(runs.map(({ outcome }) => outcome)).toEqual(Array(4).fill('timeout'))
  })
})

describe('a client that goes away', () => {
  const SCRIPT = 'file.save("kept", "1") print("waiting") io.open("gate") file.save("never", "")'

  it.each(REVISIONS)('from a stream in %s ends its run', async (revision) => {
    const { storage } = await gatedStorage()
    const made = await makeMcp({ storage })
    const ask = { revision, progressToken: 1 }
    const response = await made.send(runOf(SCRIPT, ask), ask)
    for await (const message of readMessages(response)) {
      expect(message).toMatchObject({ params: { message: 'waiting' } })
      break
    }
    const [run] = await endOfRuns(made, 1)
    expect(run).toMatchObject({ outcome: 'timeout', files: 1 })
    expect(Object.values(await made.textsUnder())).toEqual(['1'])
  })

  it.each(REVISIONS)('while it waits for an answer in %s ends its run', async (revision) => {
    const { storage, reached } = await gatedStorage()
    const made = await makeMcp({ storage })
    const client = new AbortController()
    const ask = { revision, signal: client.signal }
    const answered = made.send(runOf(SCRIPT, ask), ask)
    await reached
    client.abort()
    const [run] = await endOfRuns(made, 1)
    expect(run).toMatchObject({ outcome: 'timeout', files: 1 })
    // Nobody reads it; it only must not fail.
    await (await answered).text()
  })

  it.each(REVISIONS)('before its message is read in %s starts nothing', async (revision) => {
    const made = await makeMcp()
    const signal = AbortSignal.abort()
    const sending = made.send(runOf('file.save("a", "")', { revision }), { revision, signal })
    await sending.then(
      (response) => response.text(),
      () => undefined,
    )
    await vi.waitFor(() => expect(made.service.admission.usedBytes).toBe(0))
    for (const { outcome } of runsOf(made)) expect(outcome).toBe('timeout')
  })

  it('in the middle of a change leaves none half done', async () => {
    const reached = makeGate()
    const gate = makeGate()
    const storage = watchedStorage(await runtimeStorage(), async (request) => {
      if (request !== 'put') return
      reached.open()
      await gate.opened
    })
    const made = await makeMcp({ storage })
    const params = { name: 'file_write', arguments: { path: 'a', content: 'whole' } }
    const response = await made.send(requestOf('tools/call', params, LEGACY), LEGACY)
    await reached.opened
    await response.body!.cancel()
    gate.open()
    await vi.waitUntil(async () => Object.keys(await made.textsUnder()).length === 1, 10_000)
    expect(Object.values(await made.textsUnder())).toEqual(['whole'])
  })

  it('again and again leaves nothing behind', async () => {
    const { storage } = await gatedStorage()
    const made = await makeMcp({ storage })
    for (let i = 0; i < 30; i++) {
      const ask = { revision: REVISIONS[i % 3]!, progressToken: i }
      const response = await made.send(runOf(SCRIPT, ask), ask)
      const reader = response.body!.getReader()
      await reader.read()
      await reader.cancel()
    }
    const runs = await endOfRuns(made, 30)
    expect(new Set(runs.map(({ outcome }) => outcome))).toEqual(new Set(['timeout']))
  })
})

describe('the limits of a tenant', () => {
  it('count every message of a batch', async () => {
    let counted = 0
    const { send } = await makeMcp({ countRequest: async () => ++counted > 0 })
    const batch = Array.from({ length: 10 }, (_, i) => runOf('return 1', LEGACY, i))
    await messagesOf(await send(batch, LEGACY))
    expect(counted).toBe(10)
  })

  it('count requests to /mcp as all others', async () => {
    const counted: string[] = []
    const { send, tenant, events } = await makeMcp({
      countRequest: async (who) => counted.push(who) <= 2,
    })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const response = await send(requestOf('tools/list'))
      statuses.push(response.status)
      if (response.status !== 429) continue
      expect(response.headers.get('Retry-After')).toBe('60')
      expect(await response.json()).toMatchObject({
        jsonrpc: '2.0',
        error: { message: 'Too many requests. Try again in a minute.' },
      })
    }
    expect(statuses).toEqual([200, 200, 429, 429])
    expect(counted).toEqual(Array(4).fill(tenant))
    expect(events).toMatchObject([{ event: 'denied', status: 429, tenant }, { status: 429 }])
  })
})

describe('an answer', () => {
  const KEY_PREFIX = 'internal-prefix'
  const env = { KEY_PREFIX }

  it.each([
    ['file_read', { path: 'a' }],
    ['file_write', { path: 'a', content: '' }],
    ['file_append', { path: 'a', content: '' }],
    ['folder_list', {}],
    ['folder_create', { path: 'a' }],
    ['file_copy', { from: 'a', to: 'b' }],
    ['file_move', { from: 'a', to: 'b' }],
    ['file_delete', { path: 'a' }],
    ['file_exists', { path: 'a' }],
    ['file_info', { path: 'a' }],
    ['file_edit', { path: 'a', old: 'a', new: 'b' }],
    ['file_find', { pattern: '*' }],
    ['file_search', { pattern: 'x' }],
    ['apply_patch', { patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n' }],
    ['get_file_link', { path: 'a' }],
    ['get_upload_link', { path: 'a' }],
    ['revoke_links', { path: 'a' }],
    ['save_result_page', { title: 'T', content: 'x' }],
    ['run_saved_script', { name: 'a' }],
    ['list_saved_scripts', {}],
    ['execute_script', { script: 'print(io.open("a")) io.open("b", "w"):close()' }],
  ])('of %s while the store fails names nothing of the inside', async (tool, args) => {
    const secret = 'key internal-prefix/acme/users/alice at /srv/app/node_modules/x.ts:1'
    const storage = watchedStorage(await runtimeStorage(), () => {
      throw new Error(`AccessDenied ${secret}`)
    })
    const made = await makeMcp({ env, storage })
    const { events, leaks, tenant } = made
    leaks.hide('a secret of the store', 'AccessDenied')
    const answer = await made.call(tool, args)
    expect(answer.isError).toBe(true)
    leaks.assertSilent(tool, JSON.stringify(answer))
    expect(JSON.stringify(answer)).not.toContain(tenant)
    // Whoever runs the service reads why.
    const faults = events.filter(({ event }) => event === 'fault')
    expect(faults.length).toBeGreaterThan(0)
    expect(JSON.stringify(faults)).toContain('AccessDenied')
  })

  it.each(REVISIONS)(
    'to a defect of ours in %s is a fixed text with a number',
    async (revision) => {
      const made = await makeMcp({ env, lua: {} as WebAssembly.Module })
      const response = await made.send(runOf('return 1', { revision }), { revision })
      const request_id = response.headers.get('X-Request-Id')
      const [message] = await messagesOf(response)
      const text = `Something went wrong on our side. The request was ${request_id}.`
      expect(message!.result).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
      made.leaks.assertSilent('the answer', JSON.stringify(message))
      const error = expect.stringContaining('WebAssembly') as string
      expect(made.events).toMatchObject([
        { event: 'fault', request_id, where: 'mcp execute_script', error },
      ])
    },
  )

  it.each(REVISIONS)(
    'in %s to a name that forges a line of the log stays out of it',
    async (revision) => {
      const made = await makeMcp()
      const forged = 'x\n{"event":"run","tenant":"acme"}\r\n\u001b[2J\u2028'
      for (const [method, params] of [
        ['tools/call', { name: forged, arguments: {} }],
        ['tools/call', { name: 'file_read', arguments: { path: forged } }],
        ['resources/read', { uri: forged }],
        ['resources/read', { uri: `moonbucket:///${encodeURIComponent(forged)}` }],
        ['resources/list', { cursor: forged }],
      ] as const) {
        await made.ask(method, params, { revision })
      }
      const refused = await made.send(requestOf('tools/call', { name: forged }, { revision }), {
        revision,
        claims: { scope: '' },
      })
      await refused.text()
      expect(made.events).toEqual([])
    },
  )

  it('does not grow with the address it refuses', async () => {
    const { ask } = await makeMcp()
    const uri = `moonbucket:///${'%41'.repeat(100_000)}`
    const { answer } = await ask('resources/read', { uri }, LEGACY)
    expect(JSON.stringify(answer).length).toBeLessThan(1000)
  })
})
