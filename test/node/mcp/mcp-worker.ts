/** The built Worker with its clients: both end with the tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunEvent } from '../../../src/operations/log-event.ts'
import { signToken, TEST_SECRET } from '../../support/sign-token.ts'
import { startWorker } from '../start-worker.ts'
import type { Access, ClientKind, OfficialClient } from './official-clients.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'

/** Claims of a token; the user is alice unless they say otherwise. */
export type Claims = Readonly<Record<string, unknown>>

export type McpWorker = Awaited<ReturnType<typeof startMcpWorker>>

/** @param vars Settings beside the secrets. */
export async function startMcpWorker(vars: Readonly<Record<string, string>> = {}) {
  const persist = mkdtempSync(join(tmpdir(), 'moonbucket-mcp-'))
  const secrets = { AUTH_SECRET: TEST_SECRET, LINK_SECRET: 'signs the links of the tests' }
  const worker = await startWorker({ persist, vars: { ...secrets, ...vars } })
  const address = `${worker.origin}/mcp`
  const clients: OfficialClient[] = []

  function tokenOf(claims: Claims): Promise<string> {
    return signToken({
      sub: 'alice',
      ...(vars.AUTH_ISSUER && { iss: vars.AUTH_ISSUER }),
      ...claims,
    })
  }

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
    await Promise.allSettled(clients.map((client) => client.close()))
    await worker.stop()
    rmSync(persist, { recursive: true })
  }

  return { origin: worker.origin, address, tokenOf, make, connect, runOf, stop }
}
