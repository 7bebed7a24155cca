/** Progress notifications during a call, for clients that ask for them. */
import { describe, expect, it, vi } from 'vitest'
import { gatedStorage } from '../support/gated-storage.ts'
import {
  makeMcp,
  messagesOf,
  readMessages,
  requestOf,
  REVISIONS,
  type AskOptions,
  type Message,
} from './make-mcp.ts'

interface Said {
  readonly progressToken: string | number
  readonly progress: number
  readonly message: string
}

/** Progress only, in the order it came. */
function saidIn(messages: readonly Message[]): Said[] {
  return messages.flatMap(({ method, params }) =>
    method === 'notifications/progress' ? [params as unknown as Said] : [],
  )
}

async function makeWatched(options: Parameters<typeof makeMcp>[0] = {}) {
  const made = await makeMcp(options)
  const start = (script: string, ask: AskOptions) =>
    made.send(requestOf('tools/call', { name: 'execute_script', arguments: { script } }, ask), ask)
  return { ...made, start }
}

describe('progress', () => {
  it.each(REVISIONS)('in %s is sent only on request', async (revision) => {
    const { start } = await makeWatched()
    const messages = await messagesOf(await start('print("one") print("two")', { revision }))
    expect(messages).toHaveLength(1)
    expect(messages[0]!.result).toMatchObject({ structuredContent: { logs: ['one', 'two'] } })
  })

  it.each(REVISIONS.flatMap((revision) => ['t-1', 0].map((token) => [revision, token] as const)))(
    'in %s with the token %j comes line by line, before the result',
    async (revision, progressToken) => {
      const { storage, open } = await gatedStorage()
      const { start } = await makeWatched({ storage })
      const script = 'print("one") io.open("gate") print("two") return "end"'
      const response = await start(script, { revision, progressToken })
      expect(response.headers.get('Content-Type')).toBe('text/event-stream')
      const messages: Message[] = []
      for await (const message of readMessages(response)) {
        messages.push(message)
        // The script waits for the store: what came until now came before its end.
        if (saidIn([message])[0]?.message === 'one') open()
      }
      const said = saidIn(messages)
      expect(said[0]).toEqual({ progressToken, progress: 1, message: 'one' })
      expect(messages.at(-1)).toMatchObject({
        id: 1,
        result: { structuredContent: { result: 'end', logs: ['one', 'two'] } },
      })
      expect(messages).toHaveLength(said.length + 1)
    },
  )

  it('grows from one to the next', async () => {
    const { storage, open } = await gatedStorage()
    const { start } = await makeWatched({ storage })
    const script = 'for i = 1, 4 do print(i) io.open("gate" .. i) end return 1'
    const messages: Message[] = []
    for await (const message of readMessages(await start(script, { progressToken: 1 }))) {
      messages.push(message)
      for (const said of saidIn([message])) open(`gate${said.message}`)
    }
    expect(saidIn(messages)).toEqual(
      [1, 2, 3, 4].map((n) => ({ progressToken: 1, progress: n, message: String(n) })),
    )
  })

  it.each(REVISIONS)('in %s of a flood of lines is little', async (revision) => {
    const { start } = await makeWatched()
    const script = 'for i = 1, 20000 do print(i) end return "end"'
    const messages = await messagesOf(await start(script, { revision, progressToken: 1 }))
    expect(messages.at(-1)!.result).toMatchObject({ structuredContent: { result: 'end' } })
    const said = saidIn(messages)
    expect(said.length).toBeGreaterThan(0)
    expect(said.length).toBeLessThan(500)
  })

  it('of a long line is its beginning, in whole characters', async () => {
    const { start } = await makeWatched()
    const script = 'print("x" .. ("\\u{1f319}"):rep(1000))'
    const messages = await messagesOf(await start(script, { progressToken: 1 }))
    expect(saidIn(messages)[0]!.message).toBe(`x${'\u{1f319}'.repeat(199)}`)
  })

  it('of a script that fails comes before its error', async () => {
    const { start } = await makeWatched()
    const messages = await messagesOf(await start('print("x") error("boom")', { progressToken: 1 }))
    expect(messages).toMatchObject([
      { method: 'notifications/progress', params: { message: 'x' } },
      { id: 1, result: { isError: true } },
    ])
  })

  it('of a call that has nothing to say is nothing', async () => {
    const { ask } = await makeWatched()
    for (const revision of REVISIONS) {
      const params = { name: 'file_exists', arguments: { path: 'a' } }
      const { messages } = await ask('tools/call', params, { revision, progressToken: 'p' })
      expect(messages).toHaveLength(1)
    }
  })

  it('of a call that waits says that it goes on', async () => {
    const { storage, reached, open } = await gatedStorage()
    const { send } = await makeWatched({ storage })
    const params = { name: 'file_info', arguments: { path: 'gate' } }
    const ask = { revision: '2025-11-25', progressToken: 'p' } as const
    const messages: Message[] = []
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    try {
      const answering = send(requestOf('tools/call', params, ask), ask)
      await reached
      await vi.advanceTimersByTimeAsync(5_000)
      for await (const message of readMessages(await answering)) {
        messages.push(message)
        open()
      }
    } finally {
      vi.useRealTimers()
    }
    expect(messages).toMatchObject([
      {
        method: 'notifications/progress',
        params: { progressToken: 'p', progress: 1, message: 'Running for 5 s' },
      },
      { id: 1, result: { isError: true } },
    ])
  })

  it.each([[null], [{}], [[]], [true], [1.5]])(
    'with the token %j is refused',
    async (progressToken) => {
      const { ask, events } = await makeWatched()
      for (const revision of REVISIONS) {
        const params = { name: 'execute_script', arguments: { script: 'print(1)' } }
        const { messages } = await ask('tools/call', params, {
          revision,
          progressToken: progressToken as unknown as string,
        })
        expect(messages).toMatchObject([{ error: { code: -32_600 } }])
      }
      expect(events).toEqual([])
    },
  )
})
