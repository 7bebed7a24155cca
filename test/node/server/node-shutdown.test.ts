/** A signal ends the server when everything that was begun is finished, and not before. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { startNode, type StartedNode } from '../../runtime/start-node.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { isAll } from '../../support/tier.ts'
import { clientOf, openSocket } from './node-client.ts'

/** Writes, works until somebody else has written, and writes again. */
const WRITING = `io.open("before", "w"):write(args):close() print("on")
  repeat for i = 1, 1000000 do end until #io.list("share") > 0
  io.open("after", "w"):write(args):close() return "done"`

const s3 = await sharedS3()

/** Lets these tenants' runs end once the server, having seen the signal, refuses connections. */
async function letGo({ origin }: StartedNode, ...tenants: string[]): Promise<void> {
  while (await fetchAnew(`${origin}/health`).catch(() => undefined)) await sleep(20)
  const storage = s3Storage(s3.settings)
  for (const tenant of tenants) await storage.put(`${tenant}/share/go`, new Uint8Array())
}

async function textOf(url: string): Promise<string> {
  return (await fetch(url)).text()
}

describe.each(isAll ? (['SIGTERM', 'SIGINT'] as const) : (['SIGTERM'] as const))('%s', (name) => {
  it('lets runs end, answers arrive and files land', async () => {
    const node = await startNode()
    const tenants = ['one', 'two', 'three'].map((tenant) => `${name}-${tenant}`)
    const clients = tenants.map((tenant) => clientOf(node, tenant))
    const runs = await Promise.all(
      clients.map(({ start: begin }, i) => begin(WRITING, { args: tenants[i] })),
    )
    node.process.kill(name)
    await letGo(node, ...tenants)
    const answers = await Promise.all(runs.map((run) => run.answer()))
    expect(answers.map(({ result, error }) => [result, error])).toEqual(
      tenants.map(() => ['done', undefined]),
    )
    expect(await node.exit).toEqual({ code: 0, stderr: '' })
    const stored = answers.map(({ files_touched }) =>
      Promise.all(files_touched.map(async ({ name: file, url }) => [file, await textOf(url!)])),
    )
    expect(await Promise.all(stored)).toEqual(
      tenants.map((tenant) => [
        ['after', tenant],
        ['before', tenant],
      ]),
    )
    // Runs that another server of this bucket left behind may have been ended here as well.
    const logged = node.events.flatMap((event) => (event.event === 'run' ? [event.tenant] : []))
    expect(logged.filter((tenant) => tenants.includes(tenant)).sort()).toEqual(tenants.toSorted())
  })

  it.runIf(isAll)('lets a run end that is answered as a whole', async () => {
    const node = await startNode()
    const tenant = `${name}-whole`
    const { run } = clientOf(node, tenant)
    const answer = run(WRITING, { args: 'x' })
    const storage = s3Storage(s3.settings)
    while (!(await storage.head(`${tenant}/users/alice/before`))) await sleep(20)
    node.process.kill(name)
    await letGo(node, tenant)
    expect(await answer).toMatchObject({ result: 'done' })
    expect((await node.exit).code).toBe(0)
  })

  it.runIf(isAll)('ends a server that has nothing to do at once', async () => {
    const node = await startNode()
    const { run } = clientOf(node, `${name}-idle`)
    await run('return 1')
    node.process.kill(name)
    expect(await node.exit).toEqual({ code: 0, stderr: '' })
  })
})

describe('while it waits for a run', () => {
  it('closes connections that wait for nothing, and takes no others', async () => {
    const node = await startNode()
    const { start: begin } = clientOf(node, 'busy')
    const used = await openSocket(node.origin, 'GET /health HTTP/1.1\r\nHost: h\r\n\r\n')
    await new Promise((done) => used.socket.once('data', done))
    const endless = await begin('print("on") while true do end')
    node.process.kill('SIGTERM')
    await used.closed
    await expect(fetch(`${node.origin}/health`)).rejects.toThrow('fetch failed')
    expect(node.process.exitCode).toBeNull()
    endless.leave()
    expect((await node.exit).code).toBe(0)
  })

  it('ends at once when it is asked again', async () => {
    const node = await startNode()
    const { start: begin } = clientOf(node, 'again')
    const endless = await begin('print("on") while true do end')
    node.process.kill('SIGTERM')
    await sleep(1_000)
    expect(node.process.exitCode).toBeNull()
    node.process.kill('SIGTERM')
    expect((await node.exit).code).toBe(1)
    await expect(endless.answer()).rejects.toThrow()
  })

  it.runIf(isAll)('takes a signal that npm passes on once more for one', async () => {
    const node: StartedNode = await startNode()
    const { start: begin } = clientOf(node, 'twice')
    const run = await begin(WRITING, { args: 'x' })
    node.process.kill('SIGINT')
    await sleep(50)
    node.process.kill('SIGINT')
    await letGo(node, 'twice')
    expect(await run.answer()).toMatchObject({ result: 'done' })
    expect((await node.exit).code).toBe(0)
  })
})
