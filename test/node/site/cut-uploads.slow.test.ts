/** Uploads whose connection is cut half-way, at a real server: they count no more. */
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { callerOf } from '../../support/caller.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { sharedWorker } from '../start-worker.ts'
import { serveApp } from './serve-app.ts'

async function startNode() {
  const { origin, stop } = await serveApp()
  onTestFinished(() => stop().then(() => undefined))
  return { origin }
}

/** Sends a part of what it announces, and hangs up. */
async function sendHalf(url: string): Promise<void> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const head = `PUT ${pathname}${search}&name=cut HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 900000\r\n\r\n`
  await new Promise<void>((done) => socket.write(head + 'x'.repeat(300_000), () => done()))
  // So that the server has begun to store it.
  await new Promise((done) => setTimeout(done, 500))
  socket.resetAndDestroy()
}

it.each([
  ['workerd', sharedWorker],
  ['Node', startNode],
])('in %s the next upload gets the room of one that was cut', async (_, start) => {
  const { origin } = await start()
  const caller = callerOf(() => origin)
  const tenant = `cut-${crypto.randomUUID()}`
  const made = await caller.post(tenant, '/links/upload', { path: 'inbox/', max_files: 1 })
  const { url } = (await made.json()) as { url: string }
  await sendHalf(url)
  const send = async () =>
    (await fetchAnew(`${url}&name=whole`, { method: 'PUT', body: 'whole' })).status
  await expect.poll(send, { timeout: 60_000, interval: 500 }).toBe(201)
  const listed = await caller.post(tenant, '/fs/list', { path: 'inbox' })
  const { data } = (await listed.json()) as { data: { entries: { name: string }[] } }
  expect(data.entries.map(({ name }) => name)).toEqual(['whole'])
})
