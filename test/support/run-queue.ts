/** An app with a queue of background runs that the test delivers. */
import { runQueued } from '../../src/operations/runs/run-queued.ts'
import type { RunQueue } from '../../src/operations/runs/run-queue.ts'
import type { Service } from '../../src/operations/service.ts'
import { makeApp, type Answer, type Claims, type MakeAppOptions } from './make-app.ts'

export interface TestQueue extends RunQueue {
  /** What was sent and not delivered yet. */
  readonly sent: string[]
}

export function testQueue(keepsMs = 4 * 3_600_000): TestQueue {
  const sent: string[] = []
  return {
    sent,
    keepsMs,
    async send(ref) {
      sent.push(ref)
    },
  }
}

/** As in responses. */
export interface Run {
  readonly id: string
  readonly status: string
  readonly created_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly log_lines: number
  readonly answer?: Answer
}

/** Beyond any lease, and any difference between clocks. */
export const LEASE_OVER_MS = 61_000

export async function makeRunsApp(options: MakeAppOptions = {}) {
  const queue = testQueue()
  let offsetMs = 0
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + offsetMs)
  const made = await makeApp({ runQueue: queue, ...options, now })
  const { send, post, service } = made

  /** Starts a run in the background. @throws unless the status is 202. */
  async function start(script: string, body: object = {}, claims: Claims = {}): Promise<Run> {
    const response = await post({ script, background: true, ...body }, {}, claims)
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
    return ((await response.json()) as { run: Run }).run
  }

  /** Runs all that is queued, one after the other. */
  async function deliver(as: Service = service): Promise<void> {
    for (let ref = queue.sent.shift(); ref !== undefined; ref = queue.sent.shift()) {
      await runQueued(as, ref)
    }
  }

  async function get(id: string, claims: Claims = {}): Promise<Run> {
    const response = await send(`/runs/${id}`, {}, claims)
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as Run
  }

  const cancel = async (id: string, claims: Claims = {}) =>
    (await (await send(`/runs/${id}`, { method: 'DELETE' }, claims)).json()) as Run

  /** Moves the clock of this app. */
  const pass = (ms: number) => void (offsetMs += ms)

  return { ...made, queue, start, deliver, get, cancel, pass }
}
