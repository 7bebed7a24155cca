/** `GET /runs/<id>/events`: what happened so far, what happens next, and going on after a break. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { runQueued } from '../../src/operations/runs/run-queued.ts'
import { gatedStorage } from '../support/gated-storage.ts'
import { LINKED } from '../support/linked.ts'
import { makeRunsApp, LEASE_OVER_MS } from '../support/run-queue.ts'
import { watchedStorage } from '../support/watched-storage.ts'

interface SentEvent {
  readonly id?: string
  readonly name: string
  readonly data: unknown
}

type RunsApp = Awaited<ReturnType<typeof makeRunsApp>>

/** Reads events with their ids until the stream ends, or as many as asked for. */
async function readEvents(response: Response, most = Infinity): Promise<SentEvent[]> {
  expect(response.status).toBe(200)
  const reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>
  const decoder = new TextDecoder()
  const events: SentEvent[] = []
  let text = ''
  while (events.length < most) {
    const { done, value } = await reader.read()
    if (done) return events
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
    text = blocks.pop()!
    events.push(...blocks.flatMap(parseEvent))
  }
  await reader.cancel()
  return events.slice(0, most)
}

function parseEvent(block: string): SentEvent[] {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
  const data = fields.get('data')
  if (data === undefined) return []
  const id = fields.get('id')
  return [{ ...(id !== undefined && { id }), name: fields.get('event')!, data: JSON.parse(data) }]
}

function watch({ send }: RunsApp, id: string, last?: string): Promise<Response> {
  return send(
    `/runs/${id}/events`,
    last === undefined ? {} : { headers: { 'Last-Event-ID': last } },
  )
}

const linesOf = (events: readonly SentEvent[]) =>
  events.flatMap(({ name, data }) => (name === 'log' ? [(data as { line: string }).line] : []))

describe('the events of a run', () => {
  it('that has ended are all there, with the result last', async () => {
    const made = await makeRunsApp()
    const { id } = await made.start('print("one\\ntwo") file.save("a", "1") return {n = 1}')
    await made.deliver()
    const response = await watch(made, id)
    expect(response.headers.get('Content-Type')).toBe('text/event-stream; charset=utf-8')
    const events = await readEvents(response)
    const row = { name: 'a', op: 'write', bytes: 1, ...LINKED }
    const result = { result: { n: 1 }, logs: ['one', 'two'], files_touched: [row] }
    expect(events.map(({ name, data }) => [name, data])).toEqual([
      ['log', { line: 'one' }],
      ['log', { line: 'two' }],
      ['file', row],
      ['result', result],
      [
        'stats',
        {
          fuel: expect.any(Number) as number,
          ms: expect.any(Number) as number,
          memory_bytes: expect.any(Number) as number,
        },
      ],
    ])
    const again = await watch(made, id, events[3]!.id)
    expect(again.status).toBe(204)
  })

  it('that goes on come as they are stored', async () => {
    const { storage, open, reached } = await gatedStorage()
    const made = await makeRunsApp({ storage })
    const { id } = await made.start('print("before") io.open("gate") print("after")')
    const delivered = made.deliver()
    await reached
    const response = await watch(made, id)
    expect(linesOf(await readEvents(response, 1))).toEqual(['before'])
    open()
    await delivered
  })

  it('that never started end with its state', async () => {
    const made = await makeRunsApp()
    const { id } = await made.start('')
    const state = await made.cancel(id)
    const [event, ...more] = await readEvents(await watch(made, id))
    expect(event).toMatchObject({ name: 'state', data: state })
    expect(more).toEqual([])
  })

  it('have no links for a reader who may not read', async () => {
    const made = await makeRunsApp()
    const claims = { scope: 'execute files:write' }
    const { id } = await made.start('file.save("a", "1")', {}, claims)
    await made.deliver()
    const events = await readEvents(await made.send(`/runs/${id}/events`, {}, claims))
    expect(events[0]).toMatchObject({ name: 'file', data: { name: 'a', op: 'write', bytes: 1 } })
    expect(Object.keys(events[0]!.data as object)).toEqual(['name', 'op', 'bytes'])
    // The answer's link opens what the run wrote, and nothing else.
    const { answer } = await made.get(id, claims)
    const link = answer!.files_touched[0]!.link!
    expect(await (await made.send(link)).text()).toBe('1')
    await made.run('file.save("a", "2")')
    expect((await made.send(link)).status).toBe(404)
  })
})

describe('a stream that broke', () => {
  /** A log of 600 lines in about 20 parts. */
  const LOG = 'for i = 1, 600 do print(i, ("x"):rep(1500)) end'

  it('50 times and was resumed had every line once, in order', async () => {
    const made = await makeRunsApp()
    const { id } = await made.start(LOG)
    await made.deliver()
    const events: SentEvent[] = []
    for (let breaks = 0; breaks < 50; breaks++) {
      const sent = await readEvents(
        await watch(made, id, events.at(-1)?.id),
        1 + ((breaks * 7) % 23),
      )
      events.push(...sent)
    }
    events.push(...(await readEvents(await watch(made, id, events.at(-1)?.id))))
    const numbers = linesOf(events).map((line) => Number(line.split('\t')[0]))
    expect(numbers).toEqual(Array.from({ length: 600 }, (_, i) => i + 1))
    expect(events.filter(({ name }) => name === 'result')).toHaveLength(1)
  })

  it.each([
    ['of another run', 'ffffff-0.3'],
    ['that is none', 'latest'],
    ['that tries to be a path', '../../x'],
    ['beyond the log', (tag: string) => `${tag}-999999.9999999`],
    ['beyond its part', (tag: string) => `${tag}-0.9999999`],
    ['that is negative', (tag: string) => `${tag}-0.-1`],
  ])('and resumes with an id %s begins again', async (_, last) => {
    const made = await makeRunsApp()
    const { id } = await made.start('print(1) print(2)')
    await made.deliver()
    const header = typeof last === 'string' ? last : last(id.slice(-6))
    expect(linesOf(await readEvents(await watch(made, id, header)))).toEqual(['1', '2'])
  })
})

describe('the log of a run', () => {
  it('of 1 MiB is stored in parts of about 64 KiB, and whole', async () => {
    const made = await makeRunsApp()
    const { id } = await made.start('for i = 1, 1100 do print(("x"):rep(1000)) end')
    await made.deliver()
    const parts = Object.entries(await made.stored()).filter(([key]) => key.includes(`/log/${id}/`))
    expect(parts.length).toBeGreaterThan(10)
    expect(parts.length).toBeLessThan(20)
    for (const [, text] of parts) expect(text.length).toBeLessThan(80_000)
    const { answer, log_lines } = await made.get(id)
    const events = await readEvents(await watch(made, id))
    expect(linesOf(events)).toEqual(answer!.logs)
    expect(log_lines).toBe(answer!.logs.length)
    expect(answer!.logs.at(-1)).toMatch(/dropped/)
  })

  it('that cannot be stored for a while has no gap', async () => {
    let failures = 0
    const storage = watchedStorage(memoryStorage(), (request, key) => {
      if (request === 'put' && key.includes('/log/') && failures++ < 2) throw new Error('down')
    })
    const made = await makeRunsApp({ storage })
    const { id } = await made.start('for i = 1, 200 do print(i, ("x"):rep(1000)) end')
    await made.deliver()
    const numbers = linesOf(await readEvents(await watch(made, id))).map((line) =>
      Number(line.split('\t')[0]),
    )
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
  })

  it('goes on when the run starts again', async () => {
    const { storage, open, reached } = await gatedStorage()
    const made = await makeRunsApp({ storage })
    const { id } = await made.start('print("line") io.open("gate")', { retry: true })
    const [ref] = made.queue.sent.splice(0)
    const first = runQueued(made.service, ref!)
    await reached
    await readEvents(await watch(made, id), 1)
    made.pass(LEASE_OVER_MS)
    expect(await made.get(id)).toMatchObject({ status: 'queued' })
    open()
    await made.deliver()
    await first
    expect(linesOf(await readEvents(await watch(made, id)))).toEqual(['line', 'line'])
  })
})
