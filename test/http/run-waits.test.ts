/** Waiting for a run longer than a request to the store may take. */
import { expect, it } from 'vitest'
import { makeRunsApp } from '../support/run-queue.ts'

/** Also of each request to the store. */
const TIMEOUT_MS = 200

async function startRun() {
  const app = await makeRunsApp({ limits: { runMs: TIMEOUT_MS } })
  const response = await app.post({ script: 'print("hi")', background: true })
  return { ...app, location: response.headers.get('Location')! }
}

it('a long poll outlasts it', async () => {
  const { send, location } = await startRun()
  const response = await send(`${location}?wait=1`)
  expect([response.status, await response.json()]).toMatchObject([200, { status: 'queued' }])
})

it('a stream of events outlasts it', async () => {
  const { send, location, deliver } = await startRun()
  const response = await send(`${location}/events`)
  const text = response.text()
  await send(`${location}?wait=1`)
  await deliver()
  expect(await text).toMatch(/event: result/)
})

it.each(['?wait=30', '/events'])(
  '%s ends with the process, and says nothing wrong',
  async (query) => {
    const stopping = new AbortController()
    const app = await makeRunsApp({ stopping: stopping.signal })
    const { id } = await app.start('return 1')
    const began = Date.now()
    const response = app.send(`/runs/${id}${query}`)
    stopping.abort()
    const text = await (await response).text()
    expect(Date.now() - began).toBeLessThan(20_000)
    expect(text).not.toMatch(/event: |"answer"/)
  },
)
