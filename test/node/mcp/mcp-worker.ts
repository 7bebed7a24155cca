/** The service with its clients: both end with the tests. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunEvent } from '../../../src/operations/log-event.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { signToken } from '../../support/sign-token.ts'
import { serveApp } from '../site/serve-app.ts'
import { startWorker } from '../start-worker.ts'
import type { Access, ClientKind, OfficialClient } from './official-clients.ts'

/** Claims of a token; the user is alice unless they say otherwise. */
export type Claims = Readonly<Record<string, unknown>>

type Vars = Readonly<Record<string, string>>

/** The Worker as it is deployed. @param vars Settings beside the secrets. */
export async function startMcpWorker(vars: Vars = {}) {
  const worker = await startWorker({ vars })
  const { closeAll, ...clients } = clientsOf(worker.origin, vars)

  /** The log's line about the only run of a tenant. */
  async function runOf(tenant: string): Promise<RunEvent> {
    for (;;) {
      for (const event of worker.events) {
        if (event.event === 'run' && event.tenant === tenant) return event
      }
      await sleep(10)
    }
  }

  async function stop(): Promise<void> {
    await closeAll()
    await worker.stop()
  }

  return { ...clients, runOf, stop }
}

/** The same app in this process, on loopback: where the runtime makes no difference. */
export async function startMcpApp(vars: Record<string, string>) {
  const service = await serveApp({ env: vars })
  const { closeAll, ...clients } = clientsOf(service.origin, vars)

  async function stop(): Promise<void> {
    await closeAll()
    await service.stop()
  }

  return { ...clients, stop }
}

function clientsOf(origin: string, { AUTH_ISSUER: iss }: Vars) {
  const address = `${origin}/mcp`
  const clients: OfficialClient[] = []

  const tokenOf = (claims: Claims) => signToken({ sub: 'alice', ...(iss && { iss }), ...claims })

  function make(kind: ClientKind, access: Access): OfficialClient {
    const client = kind.make(address, { fetch: fetchAnew, ...access })
    clients.push(client)
    return client
  }

  /** A client that has said hello, with a token of these claims. */
  async function connect(kind: ClientKind, claims: Claims, access: Access = {}) {
    const client = make(kind, { token: await tokenOf(claims), ...access })
    await client.connect()
    return client
  }

  const closeAll = () => Promise.allSettled(clients.map((client) => client.close()))

  return { origin, address, tokenOf, make, connect, closeAll }
}
