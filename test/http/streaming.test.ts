/** `POST /execute` with events: what a caller sees while its script runs, and what happens when it leaves. */
import { describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '../../src/operations/log-event.ts'
import { busyAdmission } from '../support/busy-admission.ts'
import { LINKED } from '../support/linked.ts'
import { makeApp, ORIGIN, type Answer, type MakeAppOptions, type Row } from '../support/make-app.ts'
import { collect, readEvents } from '../support/read-events.ts'
import { gatedStorage } from '../support/gated-storage.ts'

const EVENTS = { Accept: 'text/event-stream' }

const STATS = {
  fuel: expect.any(Number),
  ms: expect.any(Number),
  memory_bytes: expect.any(Number),
}

type Event = readonly [name: string, data: unknown]

/** Reads one event at a time. */
function eventReader(response: Response) {
  expect(response.status).toBe(200)
  const events = readEvents(response)
  return {
    next: async (): Promise<Event | undefined> => (await events.next()).value as Event | undefined,
    rest: (): Promise<Event[]> => collect(events),
    leave: () => events.return(undefined),
  }
}

async function makeStreamingApp(options: MakeAppOptions = {}) {
  const made = await makeApp(options)
  const stream = async (script: string, body: object = {}) =>
    eventReader(await made.post({ script, ...body }, EVENTS))
  const runEvent = () =>
    vi.waitUntil(() => made.events.find((e): e is RunEvent => e.event === 'run'), 30_000)
  return { ...made, stream, runEvent }
}

describe('a streamed run', () => {
  it('tells log lines, files, the whole answer and what it cost, in this order', async () => {
    const { stream } = await makeStreamingApp()
    const script = 'print("one\\ntwo") file.save("b", "22") file.save("a", "1") return {n = 1}'
    const events = await (await stream(script)).rest()
    const result = events.find(([name]) => name === 'result')?.[1] as Answer
    const row = (name: string, bytes: number) => ({ name, op: 'write', bytes, ...LINKED })
    const told = events.filter(([name]) => name === 'file').map(([, data]) => data as Row)
    expect(events).toEqual([
      ['log', { line: 'one' }],
      ['log', { line: 'two' }],
      ['file', expect.anything()],
      ['file', expect.anything()],
      [
        'result',
        { result: { n: 1 }, logs: ['one', 'two'], files_touched: [row('a', 1), row('b', 2)] },
      ],
      ['stats', STATS],
    ])
    expect(told.sort((a, b) => a.name.localeCompare(b.name))).toEqual(result.files_touched)
  })

  it('has the headers of events, and no cost among them', async () => {
    const { post } = await makeApp()
    const { headers, body } = await post({ script: '' }, EVENTS)
    expect(headers.get('Content-Type')).toBe('text/event-stream; charset=utf-8')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('X-Request-Id')).toEqual(expect.any(String))
    await body!.cancel()
  })

  it('that fails ends with its answer too', async () => {
    const { stream } = await makeStreamingApp()
    const events = await (await stream('print("x") error("boom")')).rest()
    expect(events).toEqual([
      ['log', { line: 'x' }],
      [
        'result',
        {
          result: null,
          logs: ['x'],
          files_touched: [],
          error: expect.objectContaining({ kind: 'runtime', message: 'script:1: boom' }),
        },
      ],
      ['stats', STATS],
    ])
  })

  it('tells a line while the script waits for the store', async () => {
    const { storage, open } = await gatedStorage()
    const { stream } = await makeStreamingApp({ storage })
    const reader = await stream('print("before") io.open("gate") print("after")')
    expect(await reader.next()).toEqual(['log', { line: 'before' }])
    open()
    expect((await reader.rest()).slice(0, 1)).toEqual([['log', { line: 'after' }]])
  })

  it('tells a line while the script only computes', async () => {
    const { stream, runEvent } = await makeStreamingApp()
    const reader = await stream('print("computing") while true do end')
    expect(await reader.next()).toEqual(['log', { line: 'computing' }])
    await reader.leave()
    // Had the line come with its end, the run would have used up its fuel.
    expect((await runEvent()).outcome).toBe('timeout')
  })

  it('tells a file when it is stored, with a link that opens', async () => {
    const { storage, open } = await gatedStorage()
    const { app, stream } = await makeStreamingApp({ storage })
    const reader = await stream('file.save("a", "early") io.open("gate") file.save("b", "late")')
    const early = (await reader.next()) as ['file', Row]
    expect(early).toMatchObject(['file', { name: 'a', op: 'write', bytes: 5 }])
    expect(await (await app.request(early[1].link!)).text()).toBe('early')
    open()
    const rest = await reader.rest()
    expect(rest).toMatchObject([
      ['file', { name: 'b', op: 'write', bytes: 4 }],
      ['result', { files_touched: [early[1], { name: 'b' }] }],
      ['stats', {}],
    ])
  })

  it('tells a file again when it changed after that, and one that is gone', async () => {
    const { storage, open } = await gatedStorage()
    const { stream } = await makeStreamingApp({ storage })
    const script = `
      file.save("a", "1") file.save("b", "2")
      io.open("gate")
      io.open("a", "a"):write("23"):close() os.remove("b")`
    const reader = await stream(script)
    const first = [await reader.next(), await reader.next()]
    open()
    const shortly = (events: (Event | undefined)[]) =>
      events.flatMap((event) => {
        const row = event?.[1] as Row
        return event?.[0] === 'file' ? [`${row.op} ${row.name} ${row.bytes}`] : []
      })
    // Which of the two is stored first is up to the store.
    expect(shortly(first).sort()).toEqual(['write a 1', 'write b 1'])
    expect(shortly(await reader.rest())).toEqual(['write a 3', 'remove b 0'])
  })

  it('tells of no file before its end with commit: on_success', async () => {
    const { storage, open } = await gatedStorage()
    const { stream } = await makeStreamingApp({ storage })
    const reader = await stream('file.save("a", "x") io.open("gate") print("last")', {
      commit: 'on_success',
    })
    open()
    expect((await reader.rest()).map(([name]) => name)).toEqual(['log', 'file', 'result', 'stats'])
  })

  it('that breaks on our side ends with an error event, and the detail is in the log', async () => {
    const { post, events } = await makeApp({ lua: {} as WebAssembly.Module })
    const response = await post({ script: '' }, EVENTS)
    const request_id = response.headers.get('X-Request-Id')
    const message = 'Something went wrong on our side.'
    expect(await eventReader(response).rest()).toEqual([
      ['error', { error: { code: 'internal', message, request_id } }],
    ])
    expect(events).toEqual([
      {
        event: 'fault',
        request_id,
        where: 'POST /execute',
        error: expect.stringContaining('WebAssembly'),
      },
    ])
  })
})

describe('a refusal before the run', () => {
  it.each([
    [400, 'not JSON', {}],
    [401, { script: '' }, { Authorization: 'none' }],
    [413, { script: ' '.repeat(1_048_577) }, {}],
    [422, {}, {}],
  ])('has status %i, not events', async (status, body, headers) => {
    const { post } = await makeApp()
    const response = await post(body, { ...EVENTS, ...headers })
    expect(response.status).toBe(status)
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json\b/)
  })

  it('has status 503 when the service is busy', async () => {
    const { admission, free } = busyAdmission()
    const { post } = await makeApp({ admission })
    const response = await post({ script: '' }, EVENTS)
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
    await free()
  })
})

describe('a client that goes away', () => {
  const script = `
    file.save("closed", "kept")
    left_open = io.open("open", "w") left_open:write("kept too")
    print("waiting")
    io.open("gate")
    file.save("never", "")`
  const kept = { 'users/alice/closed': 'kept', 'users/alice/open': 'kept too' }

  it('from its events ends its run, and what the script wrote is stored', async () => {
    const { storage } = await gatedStorage()
    const { stream, runEvent, stored } = await makeStreamingApp({ storage })
    const reader = await stream(script)
    await reader.next()
    await reader.leave()
    expect(await runEvent()).toMatchObject({ outcome: 'timeout', files: 2 })
    expect(await stored()).toEqual(kept)
  })

  it.each([
    ['events', EVENTS],
    ['the answer', {}],
  ])('while it waits for %s ends its run', async (_, headers) => {
    const { storage, reached } = await gatedStorage()
    const { app, tokenOf, runEvent, stored } = await makeStreamingApp({ storage })
    const client = new AbortController()
    const request = new Request(`${ORIGIN}/execute`, {
      method: 'POST',
      body: JSON.stringify({ script }),
      headers: { ...headers, Authorization: `Bearer ${await tokenOf()}` },
      signal: client.signal,
    })
    const answered = app.request(request)
    await reached
    client.abort()
    expect(await runEvent()).toMatchObject({ outcome: 'timeout', files: 2 })
    expect(await (await answered).text()).toContain('the caller has gone')
    expect(await stored()).toEqual(kept)
  })
})
