/** Background runs of the Node server: on its threads, with limits of their own. */
import { afterAll, describe, expect, it, vi } from 'vitest'
import { startNode } from '../../runtime/start-node.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import type { Run } from '../../support/run-queue.ts'
import { clientOf } from './node-client.ts'
import { isAll } from '../../support/tier.ts'

const vars = { STORAGE: 'folder', FOLDER: tempFolder(), FUEL: '1000000' }
const node = await startNode(vars)
afterAll(() => node.stop())

const { post, send } = clientOf(node)

async function start(script: string): Promise<Run> {
  const response = await post({ script, background: true })
  expect(response.status).toBe(202)
  return ((await response.json()) as { run: Run }).run
}

const read = async (id: string, query = '') =>
  (await (await send(`/runs/${id}${query}`)).json()) as Run

describe('a background run of the Node server', () => {
  it('computes more than a request may, and stores its files', async () => {
    const { id } = await start(
      'for i = 1, 3000000 do end print("x") file.save("a", "1") return io.open("a"):read("a")',
    )
    expect(await read(id, '?wait=30')).toMatchObject({
      status: 'succeeded',
      log_lines: 1,
      answer: { result: '1', logs: ['x'], files_touched: [{ name: 'a', op: 'write', bytes: 1 }] },
    })
    const events = await (await send(`/runs/${id}/events`)).text()
    expect(events).toMatch(/event: log\n[^]*event: file\n[^]*event: result\n[^]*event: stats\n/)
  })

  it('ends when it is cancelled, although its thread never waits', async () => {
    const { id } = await start('file.save("b", "1") while true do end')
    await vi.waitUntil(async () => (await read(id)).status === 'running', 30_000)
    await send(`/runs/${id}`, { method: 'DELETE' })
    expect(await read(id, '?wait=30')).toMatchObject({
      status: 'cancelled',
      answer: { files_touched: [{ name: 'b', bytes: 1 }] },
    })
  })
})

it.runIf(isAll)(
  'a server that is stopped ends the events of a run in another process',
  async () => {
    const shared = { ...vars, FOLDER: tempFolder() }
    const [running, watching] = await Promise.all([startNode(shared), startNode(shared)])
    const owner = clientOf(running)
    const response = await owner.post({ script: 'print("on") while true do end', background: true })
    const { run } = (await response.json()) as { run: Run }
    const events = await clientOf(watching).send(`/runs/${run.id}/events`)
    const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('event: log')) text += (await reader.read()).value ?? ''
    watching.process.kill('SIGTERM')
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value
    expect(text).not.toMatch(/event: (?:result|state)/)
    expect(await watching.exit).toMatchObject({ code: 0 })

    await owner.send(`/runs/${run.id}`, { method: 'DELETE' })
    const [, last] = /id: (.+)/.exec(text)!
    const headers = { 'Last-Event-ID': last! }
    const rest = await (await owner.send(`/runs/${run.id}/events`, { headers })).text()
    expect(rest).toMatch(/event: result\n/)
    expect(rest).not.toContain('event: log')
    await running.stop()
  },
)

it('a server that is stopped leaves what it had not begun to the next one', async () => {
  const folder = tempFolder()
  const first = await startNode({ ...vars, FOLDER: folder })
  const started = Array.from({ length: 8 }, async () => {
    const response = await clientOf(first).post({
      script: 'for i = 1, 5000000 do end return 1',
      background: true,
    })
    return ((await response.json()) as { run: Run }).run
  })
  const runs = await Promise.all(started)
  first.process.kill('SIGTERM')
  expect(await first.exit).toMatchObject({ code: 0 })
  const second = await startNode({ ...vars, FOLDER: folder })
  const client = clientOf(second)
  const ended = await Promise.all(
    runs.map(async ({ id }) => (await (await client.send(`/runs/${id}?wait=30`)).json()) as Run),
  )
  await second.stop()
  const statuses = new Set(ended.map(({ status }) => status))
  expect(statuses).toContain('succeeded')
  expect([...statuses].filter((status) => status !== 'succeeded' && status !== 'failed')).toEqual(
    [],
  )
  const stopped = ended.filter(({ status }) => status === 'failed')
  for (const { answer } of stopped) expect(answer?.error?.message).toBe('the service was stopped')
})
