/**
 * The official conformance suite, over real HTTP: against the product, which has none of the tools that most scenarios
 * call, and against a server that has them, behind the product's own doors. What does not pass is listed in a file,
 * with the reason.
 */
import { resolve } from 'node:path'
import { isJSONRPCErrorResponse } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signToken } from '../../support/sign-token.ts'
import { startWorker, type StartedWorker } from '../start-worker.ts'
import baseline from './conformance-baseline.json'
import { startTokenProxy, type TokenProxy } from './conformance-proxy.ts'
import { runSuite } from './conformance-suite.ts'

/** With the number of scenarios that each requires. */
const REVISIONS = [
  ['2026-07-28', 37],
  ['2025-11-25', 30],
] as const

/** In one revision; checks that pass are only counted. */
interface Known {
  readonly passedScenarios: number
  readonly passedChecks: number
  readonly excused: readonly { readonly reason: string; readonly checks: readonly string[] }[]
}

type Baseline = Readonly<Record<(typeof REVISIONS)[number][0], Known>>

// Some probes of the suite wait half a second at most, which a busy machine needs for other things.
const PATIENT = { retry: 1, timeout: 120_000 }

let proxy: TokenProxy
let worker: StartedWorker

async function start(entry?: string): Promise<void> {
  proxy = await startTokenProxy()
  worker = await startWorker({
    vars: { ALLOWED_ORIGINS: proxy.origin },
    ...(entry && { entry: resolve(import.meta.dirname, entry) }),
  })
  proxy.forward(worker.origin, await signToken({ tenant: 'conformance', sub: 'suite' }))
}

async function stop(): Promise<void> {
  await worker.stop()
  await proxy.stop()
}

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(`${proxy.origin}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

function itIsAsKnown(known: Baseline): void {
  it.for(REVISIONS)('meets %s but for what is excused', PATIENT, async (row, { signal }) => {
    const [revision, required] = row
    const { passedScenarios, passedChecks, excused } = known[revision]
    const found = await runSuite(`${proxy.origin}/mcp`, revision, signal)
    expect(found.otherChecks).toEqual(excused.flatMap(({ checks }) => checks).sort())
    expect([found.passed.length, found.scored.length]).toEqual([passedScenarios, required])
    expect(found.passedChecks).toBe(passedChecks)
    expect(found.isConformant).toBe(passedScenarios === required)
  })
}

describe('the product', () => {
  beforeAll(async () => {
    await start()
    // Something to list and to read.
    const script = 'io.open("notes.txt", "w"):write("text"):close()'
    expect((await post('/execute', { script })).status).toBe(200)
  })
  afterAll(stop)

  itIsAsKnown(baseline.product)

  it('refuses at its doors in a form that clients read', async () => {
    const response = await post('/mcp', {}, { Origin: 'https://evil.example' })
    expect(response.status).toBe(403)
    expect(isJSONRPCErrorResponse(await response.json())).toBe(true)
  })

  it('grants a subscription to nothing and does not keep the connection', async () => {
    const [version] = REVISIONS[0]
    const method = 'subscriptions/listen'
    const params = {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['moonbucket:///notes.txt'] },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }
    const headers = {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': version,
      'Mcp-Method': method,
    }
    const response = await post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, headers)
    // Resolves when the stream has ended.
    const events = (await response.text()).matchAll(/^data: (.+)$/gm)
    expect(Array.from(events, ([, data = '']) => JSON.parse(data) as unknown)).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 1, result: { resultType: 'complete' } },
    ])
  })
})

describe("the suite's own server behind the product's doors", () => {
  beforeAll(() => start('conformance-worker.ts'))
  afterAll(stop)

  itIsAsKnown(baseline.fixtures)
})
