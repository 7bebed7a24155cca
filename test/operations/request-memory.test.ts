/** What requests that run no script hold of the memory of a process, and for how long. */
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { Admission } from '../../src/operations/memory/admission.ts'
import { RequestMemory } from '../../src/operations/memory/request-memory.ts'
import { makeApp, ORIGIN, runtimeStorage } from '../support/make-app.ts'

const MB = 1_000_000
const BUSY = { code: 'busy', message: 'The service is busy. Try again in a few seconds.' }

const memoryIn = (admission: Admission, signal?: AbortSignal) =>
  new RequestMemory(admission, { maxFileBytes: 10 * MB, maxMs: 60_000, signal })

describe('the memory of a request', () => {
  it('grows by its body and its files, and is released as a whole', async () => {
    const admission = new Admission(100 * MB)
    const memory = memoryIn(admission)
    await memory.holdBody(2 * MB)
    await memory.holdFile(10 * MB)
    expect([admission.usedBytes, memory.heldBytes]).toEqual([42 * MB, 42 * MB])
    memory.end()
    expect([admission.usedBytes, memory.heldBytes]).toEqual([0, 0])
  })

  it('is not counted while it is little', async () => {
    const admission = new Admission(1, 0)
    const [first, second] = [memoryIn(admission), memoryIn(admission)]
    await first.holdFile(MB)
    await second.holdBody(10_000)
    expect(admission.usedBytes).toBe(3 * MB)
    await expect(second.holdBody(MB)).rejects.toMatchObject(BUSY)
    first.end()
  })

  it('of a body ends when a run begins, that of files does not', async () => {
    const admission = new Admission(100 * MB)
    const memory = memoryIn(admission)
    await memory.holdBody(MB)
    await memory.holdFile(MB)
    memory.releaseBody()
    expect(admission.usedBytes).toBe(3 * MB)
    memory.end()
    await memoryIn(admission).holdBody(MB)
    expect(admission.usedBytes).toBe(6 * MB)
  })

  it('lets those who hold bodies have their files one after the other', async () => {
    const admission = new Admission(100 * MB)
    let [ended, most] = [0, 0]
    const requests = Array.from({ length: 6 }, async () => {
      const memory = memoryIn(admission)
      await memory.holdBody(5 * MB)
      await new Promise((resolve) => setTimeout(resolve, 30))
      await memory.holdFile(10 * MB)
      most = Math.max(most, admission.usedBytes)
      memory.end()
      ended++
    })
    await Promise.all(requests)
    expect(ended).toBe(6)
    expect(most).toBeLessThanOrEqual(100 * MB)
  })

  it('of files is not that of a body that was too small to count', async () => {
    const admission = new Admission(100 * MB)
    const memory = memoryIn(admission)
    await memory.holdBody(10_000)
    await memory.holdFile(MB)
    memory.releaseBody()
    expect(admission.usedBytes).toBe(3 * MB)
    memory.end()
  })

  it('that nobody would release is not granted', async () => {
    const admission = new Admission(100 * MB)
    const memory = memoryIn(admission)
    memory.end()
    await expect(memory.holdFile(MB)).rejects.toMatchObject(BUSY)
    expect(admission.usedBytes).toBe(0)
  })

  it('that never becomes free is refused, while a caller waits and when it has gone', async () => {
    const admission = new Admission(10 * MB, 40)
    const client = new AbortController()
    const memory = memoryIn(admission, client.signal)
    await memory.holdFile(3 * MB)
    await expect(memory.holdFile(3 * MB)).rejects.toMatchObject(BUSY)
    client.abort()
    await expect(memory.holdFile(3 * MB)).rejects.toMatchObject(BUSY)
    memory.end()
  })
})

describe('a large file that is read', () => {
  const text = 'ünï "quoted"\n'.repeat(70_000)

  async function readLarge() {
    const admission = new Admission(100 * MB)
    const { service, tokenOf } = await makeApp({ admission })
    // Nothing else reads its answers.
    const app = createApp({ service })
    const headers = { Authorization: `Bearer ${await tokenOf()}` }
    const post = (route: string, body: object) =>
      app.request(`${ORIGIN}/fs/${route}`, { method: 'POST', headers, body: JSON.stringify(body) })
    await (await post('write', { path: 'f', content: text })).text()
    expect(admission.usedBytes).toBe(0)
    return { admission, response: await post('read', { path: 'f' }) }
  }

  it('counts until its answer has been sent', async () => {
    const { admission, response } = await readLarge()
    expect(admission.usedBytes).toBe(3 * new TextEncoder().encode(text).length)
    expect(await response.json()).toMatchObject({ data: { content: text } })
    expect(admission.usedBytes).toBe(0)
  })

  it('counts no longer when nobody wants its answer', async () => {
    const { admission, response } = await readLarge()
    await response.body?.cancel()
    expect(admission.usedBytes).toBe(0)
  })
})

describe('an upload', () => {
  async function heldWhile(init: RequestInit): Promise<number> {
    const admission = new Admission(100 * MB)
    const storage = await runtimeStorage()
    let held = NaN
    const noting =
      <Args extends unknown[], T>(put: (...args: Args) => T) =>
      (...args: Args) => {
        held = admission.usedBytes
        return put(...args)
      }
    const watched = { put: noting(storage.put), putStream: noting(storage.putStream) }
    const { app, tokenOf } = await makeApp({ admission, storage: { ...storage, ...watched } })
    const headers = { Authorization: `Bearer ${await tokenOf()}`, ...init.headers }
    const url = `${ORIGIN}/fs/content?path=f`
    const { status } = await app.request(url, { method: 'PUT', ...init, headers })
    expect([status, admission.usedBytes]).toEqual([200, 0])
    return held
  }

  it('of unknown length counts as the largest file while it is collected', async () => {
    const body = new Blob(['text']).stream()
    expect(await heldWhile({ body, duplex: 'half' } as RequestInit)).toBe(3 * 10_485_760)
  })

  it('of known length is streamed, and does not count', async () => {
    expect(await heldWhile({ body: 'text', headers: { 'Content-Length': '4' } })).toBe(0)
  })
})
