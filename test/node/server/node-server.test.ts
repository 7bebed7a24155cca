/** The Node server as its callers meet it: several at once, large files, and people who go away. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RunEvent } from '../../../src/operations/log-event.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { startNode } from '../../runtime/start-node.ts'
import { answering } from '../../support/answering.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { makeGate } from '../../support/gate.ts'
import { listen } from '../../support/listen.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { isAll } from '../../support/tier.ts'
import { clientOf, openSocket } from './node-client.ts'

const MB = 1_000_000
const PIECES = isAll ? 100 : 20
const EMPTY_LIST =
  '<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'
const ENDLESS = 'print("on") io.open("kept", "w"):write("1"):close() while true do end'

const MAX_FILE_SIZE = String(120 * MB)

const s3 = await sharedS3()
const node = await startNode({ MAX_FILE_SIZE })
afterAll(() => node.stop())

const runsOf = (tenant: string, { events } = node) =>
  events.filter((event): event is RunEvent => event.event === 'run' && event.tenant === tenant)

/** Once the run has been logged, which is its last act. */
const loggedRun = (tenant: string) => vi.waitUntil(() => runsOf(tenant)[0], { timeout: 30_000 })

describe('runs', () => {
  it('of two tenants at once keep to their own files', async () => {
    const script = `local mine = {} for i = 1, 20 do
      local name = "f" .. i io.open(name, "a"):write(args, i):close()
      mine[i] = io.open(name):read("a") end print(args) return mine`
    const tenants = ['red', 'blue', 'red2', 'blue2']
    const answers = await Promise.all(
      tenants.map(async (tenant) => clientOf(node, tenant).run(script, { args: tenant })),
    )
    const numbers = Array.from({ length: 20 }, (_, i) => i + 1)
    expect(answers.map(({ result, logs }) => ({ result, logs }))).toEqual(
      tenants.map((tenant) => ({ result: numbers.map((i) => `${tenant}${i}`), logs: [tenant] })),
    )
    expect(tenants.map((tenant) => runsOf(tenant).length)).toEqual([1, 1, 1, 1])
  })

  it('begin and end while others go on', async () => {
    const { start } = clientOf(node, 'slow')
    const endless = await start(ENDLESS)
    expect(await clientOf(node, 'swift').run('return 1')).toMatchObject({ result: 1 })
    expect(runsOf('slow')).toEqual([])
    endless.leave()
    await loggedRun('slow')
  })

  it.runIf(isAll)(
    'beyond the number of threads wait, and are refused when it takes too long',
    async () => {
      // So large that one run fits into half of the memory, and two do not.
      const RESIDENT_MAX_BYTES = String(Math.floor(totalmem() / 3))
      const small = await startNode({ RESIDENT_MAX_BYTES })
      onTestFinished(() => small.stop())
      const { start, run, post } = clientOf(small)
      const endless = await start(ENDLESS)
      const refused = await post({ script: 'return 1' })
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5'])
      expect(await refused.json()).toMatchObject({ error: { code: 'busy' } })
      const waiting = run('return 1')
      endless.leave()
      expect(await waiting).toMatchObject({ result: 1 })
    },
  )
})

describe('a caller who goes away', () => {
  it('cancels a streamed run, whose files are kept', async () => {
    const { start, run } = clientOf(node, 'left-stream')
    const endless = await start(ENDLESS)
    endless.leave()
    expect(await loggedRun('left-stream')).toMatchObject({ outcome: 'timeout', files: 1, bytes: 1 })
    expect(await run('return io.open("kept"):read("a")')).toMatchObject({ result: '1' })
  })

  it('cancels a run that is answered at its end', async () => {
    const { post } = clientOf(node, 'left-answer')
    const leaving = new AbortController()
    const asked = post({ script: ENDLESS }, { signal: leaving.signal })
    const storage = s3Storage(s3.settings)
    while (!(await storage.head('left-answer/users/alice/kept'))) await sleep(20)
    leaving.abort()
    await expect(asked).rejects.toThrow('aborted')
    expect(await loggedRun('left-answer')).toMatchObject({ outcome: 'timeout' })
  })

  it('in the middle of a body leaves nothing behind', async () => {
    const { token, run } = clientOf(node, 'left-body')
    const head = [
      'PUT /fs/content?path=cut HTTP/1.1',
      'Host: h',
      `Authorization: Bearer ${await token()}`,
      'Content-Length: 1000000',
    ]
    const { socket, closed } = await openSocket(node.origin, `${head.join('\r\n')}\r\n\r\nbegins`)
    await sleep(300)
    socket.destroy()
    await closed
    expect(await run('return io.list()')).toMatchObject({ result: {} })
  })
})

describe('large files', () => {
  it(`of ${PIECES} MB go in at the pace of their sender and come out as they were`, async () => {
    const { send } = clientOf(node, 'large')
    const piece = new Uint8Array(MB).map((_, i) => i % 251)
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent === PIECES) return controller.close()
        if (sent++ % 10 === 0) await sleep(100)
        controller.enqueue(piece)
      },
    })
    const put = await send('/fs/content?path=large.bin', putOf(body, PIECES * MB))
    expect(await put.json()).toMatchObject({ success: true, data: { bytes: PIECES * MB } })

    const got = await send('/fs/content?path=large.bin')
    const hash = createHash('sha256')
    for await (const chunk of got.body!) hash.update(chunk)
    const whole = createHash('sha256')
    for (let i = 0; i < PIECES; i++) whole.update(piece)
    expect(hash.digest('hex')).toBe(whole.digest('hex'))
  })

  it('go in no faster than the store takes them, and come out while it still sends', async () => {
    const store = await startSlowStore()
    const slow = await startNode({ MAX_FILE_SIZE, S3_ENDPOINT: store.origin })
    onTestFinished(() => slow.stop())
    const { send } = clientOf(slow)
    const got = await send('/fs/content?path=f')
    const reader = got.body!.getReader()
    expect((await reader.read()).value?.length).toBeGreaterThan(0)
    await reader.cancel()

    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ === 100) controller.close()
        else controller.enqueue(new Uint8Array(MB))
      },
    })
    const putting = send('/fs/content?path=f', putOf(body, 100 * MB))
    await store.isAskedToPut
    await sleep(1_000)
    // What the connections themselves hold.
    expect(sent).toBeLessThan(50)
    store.read()
    expect(await (await putting).json()).toMatchObject({ data: { bytes: 100 * MB } })
  })

  it('are handed over to the store by their links', async () => {
    const { run } = clientOf(node, 'links')
    const { files_touched } = await run('io.open("a.txt", "w"):write("text"):close()')
    const opened = await fetch(files_touched[0]!.link!, { redirect: 'manual' })
    const location = opened.headers.get('Location') ?? ''
    expect([opened.status, location.startsWith(s3.endpoint)]).toEqual([302, true])
    expect(await (await fetchAnew(location)).text()).toBe('text')
  })
})

function putOf(body: ReadableStream<Uint8Array>, bytes: number): RequestInit {
  const headers = { 'Content-Length': String(bytes) }
  return { method: 'PUT', headers, body, duplex: 'half' } as RequestInit
}

/** Sends the beginning of an object, and reads nothing of the next until a test allows it. */
async function startSlowStore() {
  const asked = makeGate()
  const reading = makeGate()
  const headers = { ETag: '"x"', 'Last-Modified': new Date(0).toUTCString() }
  const listener = answering(async (request, response) => {
    if (request.method === 'PUT') {
      asked.open()
      await reading.opened
      request.resume().once('end', () => response.writeHead(200, headers).end())
    } else if (request.url!.includes('list-type')) {
      response.writeHead(200, { 'Content-Type': 'application/xml' }).end(EMPTY_LIST)
    } else {
      response.writeHead(200, { ...headers, 'Content-Length': 10 * MB })
      if (request.method === 'HEAD') response.end()
      else response.write('begins')
    }
  })
  const { origin, stop } = await listen(createServer(listener))
  onTestFinished(stop)
  return { origin, isAskedToPut: asked.opened, read: reading.open }
}
