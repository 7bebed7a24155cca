/** Runs that go on when nobody waits for them, started over HTTP and over MCP. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { callerOf, type Caller } from '../../support/caller.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import type { Row } from '../../support/make-app.ts'
import type { Engine } from './engines.ts'

const TENANT = 'patient'
/** What the store takes to say that a file below `slow/` is not there. */
const SLOW_MS = 500

/** Waits for the store over and over, and writes meanwhile. */
const SCRIPT = `
  local from, n = os.time(), 0
  local out = assert(io.open(args.name, "w"))
  while os.time() - from < args.seconds do
    n = n + 1
    assert(not io.open("slow/" .. args.name .. "/" .. n))
    out:write(n, ",", ("x"):rep(1000), "\\n")
    print("row " .. n)
  end
  out:close()
  return n
`

/** What is known of a run at its end. */
export interface Outlived {
  readonly status: string
  readonly seconds: number
  readonly logLines: number
  /** Whether the file that its link opens has every row that the run wrote. */
  readonly isWhole: boolean
}

interface EndedRun {
  readonly status: string
  readonly started_at: string
  readonly ended_at: string
  readonly log_lines: number
  readonly answer?: { readonly result: number; readonly files_touched: readonly Row[] }
}

/** On a store that makes runs wait. */
export async function outlive(
  engine: Engine,
  seconds: number,
): Promise<Readonly<Record<'http' | 'mcp', Outlived>>> {
  const s3 = await sharedS3()
  const proxy = await startFaultProxy(s3.endpoint)
  proxy.follow(async ({ path }) => {
    if (path.includes('/slow/')) await sleep(SLOW_MS)
    return undefined
  })
  // A Node server takes up what others have queued in its store.
  const KEY_PREFIX = `${crypto.randomUUID()}/`
  const service = await engine.start({ S3_ENDPOINT: proxy.endpoint, KEY_PREFIX })
  try {
    const caller = callerOf(() => service.origin, `-${crypto.randomUUID()}`)
    const [byHttp, byMcp] = [await startByHttp(caller, seconds), await startByMcp(caller, seconds)]
    // Nobody asks for as long as it should take.
    await sleep(seconds * 1000)
    return { http: await outcomeOf(caller, byHttp), mcp: await outcomeOf(caller, byMcp) }
  } finally {
    await service.kill()
    await engine.stop()
    await proxy.stop()
  }
}

async function startByHttp(caller: Caller, seconds: number): Promise<string> {
  const body = { script: SCRIPT, args: { name: 'output/http.csv', seconds } }
  const headers = { Prefer: 'respond-async' }
  const response = await caller.post(TENANT, '/execute', body, { headers })
  const { run } = (await response.json()) as { readonly run: { readonly id: string } }
  return run.id
}

async function startByMcp(caller: Caller, seconds: number): Promise<string> {
  const client = new Client({ name: 'tests', version: '1' })
  const headers = { Authorization: `Bearer ${await caller.token(TENANT)}` }
  const address = new URL(caller.at('/mcp'))
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
  const args = { name: 'output/mcp.csv', seconds }
  const called = await client.callTool({
    name: 'execute_script',
    arguments: { script: SCRIPT, args, background: true },
  })
  await client.close()
  const { run } = called.structuredContent as { readonly run: { readonly id: string } }
  return run.id
}

async function outcomeOf(caller: Caller, id: string): Promise<Outlived> {
  for (;;) {
    const response = await caller.send(TENANT, `/runs/${id}?wait=30`)
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    const run = (await response.json()) as EndedRun
    if (['queued', 'running'].includes(run.status)) continue
    const { started_at, ended_at, status, log_lines: logLines, answer } = run
    const seconds = (Date.parse(ended_at) - Date.parse(started_at)) / 1000
    const [row] = answer?.files_touched ?? []
    const text = row?.link === undefined ? '' : await (await fetch(row.link)).text()
    const length = answer?.result ?? 0
    const rows = Array.from({ length }, (_, i) => `${i + 1},${'x'.repeat(1000)}\n`)
    return {
      status,
      seconds,
      logLines,
      isWhole: text === rows.join('') && length > 0 && logLines === length,
    }
  }
}
