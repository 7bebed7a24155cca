/** Many runs of many tenants on one Node server: how long small tenants wait beside a large one. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { signToken } from '../../support/sign-token.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startNode, type StartedNode } from '../start-node.ts'
import { counted } from './counted.ts'

/** Long enough for a queue to build up. */
const SCRIPT = `
  assert(io.open("log.txt", "a")):write(args.id, "\\n"):close()
  for _ = 1, 3000000 do end
`
const LARGE = 'large'
/** `BACKGROUND_PER_TENANT`: the large tenant has filled its share before the others come. */
const SHARE = 100
const OFFERED_AT_ONCE = 4
const RETRY_MS = 100
const LOOK_MS = 20

/** How many runs each offers. */
export interface Load {
  readonly large: number
  readonly smallTenants: number
  readonly small: number
}

export interface LoadOutcome {
  /** How many runs ended before one of a small tenant, on average, from its acceptance on. */
  readonly meanWait: number
  readonly meanWaitMs: number
  /** Offers that got 429; they are repeated until they are accepted. */
  readonly refused: number
  readonly problems: readonly string[]
}

interface Accepted {
  readonly tenant: string
  readonly at: number
  /** Runs that had ended by then. */
  readonly endedBefore: number
}

/** Ends when every accepted run has. */
export async function offerLoad({ large, smallTenants, small }: Load): Promise<LoadOutcome> {
  const server = await startNode({ STORAGE: 'folder', FOLDER: tempFolder() })
  const client = new LoadClient(server)
  try {
    const tenants = Array.from({ length: smallTenants }, (_, i) => `small-${i}`)
    const first = Math.min(large, SHARE)
    await client.offer(LARGE, first)
    await Promise.all([
      client.offer(LARGE, large - first),
      ...tenants.map((tenant) => client.offer(tenant, small)),
    ])
    await client.untilEnded()
    const waits = client.waits().filter(({ tenant }) => tenant !== LARGE)
    return {
      meanWait: mean(waits.map(({ runs }) => runs)),
      meanWaitMs: mean(waits.map(({ ms }) => ms)),
      refused: client.refused,
      problems: await client.problems(),
    }
  } finally {
    client.stop()
    await server.stop()
  }
}

class LoadClient {
  refused = 0
  readonly #server: StartedNode
  /** By request id, which the script knows too. */
  readonly #accepted = new Map<string, Accepted>()
  /** In order; the time is that of the look. */
  readonly #ended: { readonly id: string; readonly at: number }[] = []
  readonly #looking: NodeJS.Timeout
  #seen = 0

  constructor(server: StartedNode) {
    this.#server = server
    this.#looking = setInterval(() => this.#look(), LOOK_MS)
  }

  stop(): void {
    clearInterval(this.#looking)
  }

  async offer(tenant: string, count: number): Promise<void> {
    const token = await signToken({ tenant, sub: 'alice' })
    let left = count
    const offerSome = async () => {
      while (left-- > 0) await this.#offerOne(tenant, token)
    }
    await Promise.all(Array.from({ length: OFFERED_AT_ONCE }, offerSome))
  }

  async untilEnded(): Promise<void> {
    while (new Set(this.#ended.map(({ id }) => id)).size < this.#accepted.size) await sleep(500)
  }

  waits() {
    return this.#ended.map(({ id, at }, index) => {
      const accepted = this.#accepted.get(id)!
      const runs = index - accepted.endedBefore
      return { tenant: accepted.tenant, runs, ms: at - accepted.at }
    })
  }

  /** Each accepted run ended once, and ran once. */
  async problems(): Promise<string[]> {
    const tenants = new Set([...this.#accepted.values()].map(({ tenant }) => tenant))
    const logs = await Promise.all([...tenants].map((tenant) => this.#logOf(tenant)))
    const timesRun = counted(logs.flat())
    const timesEnded = counted(this.#ended.map(({ id }) => id))
    return [...this.#accepted.keys()]
      .map((id) => [id, timesRun.get(id) ?? 0, timesEnded.get(id) ?? 0] as const)
      .filter(([, ran, ended]) => ran !== 1 || ended !== 1)
      .map(([id, ran, ended]) => `${id} ran ${ran} times and ended ${ended} times`)
  }

  async #offerOne(tenant: string, token: string): Promise<void> {
    const id = crypto.randomUUID()
    for (;;) {
      const { status, text } = await this.#send(token, '/execute', {
        method: 'POST',
        headers: { 'X-Request-Id': id, Prefer: 'respond-async' },
        body: JSON.stringify({ script: SCRIPT, args: { id } }),
      })
      if (status === 202) {
        const endedBefore = this.#ended.length
        this.#accepted.set(id, { tenant, at: performance.now(), endedBefore })
        return
      }
      if (status !== 429) throw new Error(`${status}: ${text}`)
      this.refused++
      await sleep(RETRY_MS)
    }
  }

  async #logOf(tenant: string): Promise<string[]> {
    const token = await signToken({ tenant, sub: 'alice' })
    const { text } = await this.#send(token, '/fs/content?path=log.txt')
    return text.split('\n').slice(0, -1)
  }

  async #send(token: string, path: string, init: RequestInit = {}) {
    const headers = { Authorization: `Bearer ${token}`, ...(init.headers as object) }
    const response = await fetchAnew(this.#server.origin + path, { ...init, headers })
    return { status: response.status, text: await response.text() }
  }

  #look(): void {
    const { events } = this.#server
    for (; this.#seen < events.length; this.#seen++) {
      const event = events[this.#seen]!
      if (event.event === 'run') this.#ended.push({ id: event.request_id, at: performance.now() })
    }
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
