/** Popular MCP clients, over HTTP and with `moonbucket mcp` over stdio. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { serveApp } from '../site/serve-app.ts'
import { AGENT_CLIENTS, type AgentClient, type Connected, type Server } from './agent-clients.ts'
import { textAt } from './tool-answer.ts'
import { watchLookups } from './watch-lookups.ts'

/** What these clients would tell their makers. */
const TELL_NOBODY = {
  LANGSMITH_TRACING: 'false',
  LANGCHAIN_TRACING_V2: 'false',
  MASTRA_TELEMETRY_DISABLED: '1',
  OPENAI_AGENTS_DISABLE_TRACING: '1',
}

const SCRIPT = `
  print("hello " .. args.who)
  io.open("out/a.txt", "w"):write("é1"):close()
  return {n = 42}`

let service: Awaited<ReturnType<typeof serveApp>>
let home: string
let lookups: string
let stopWatching: () => void
let silenced: { mockRestore(): void }

beforeAll(async () => {
  service = await serveApp()
  home = realpathSync(mkdtempSync(join(tmpdir(), 'moonbucket-clients-')))
  lookups = join(home, 'lookups')
  stopWatching = watchLookups(lookups)
  for (const [name, value] of Object.entries(TELL_NOBODY)) vi.stubEnv(name, value)
  // Some log what they also throw.
  silenced = vi.spyOn(console, 'error').mockReturnValue()
})

afterAll(async () => {
  silenced.mockRestore()
  vi.unstubAllEnvs()
  stopWatching()
  await service.stop()
  rmSync(home, { recursive: true })
})

/** In a home of its own, without a way to find a browser. */
function connect(client: AgentClient, server: Server): Promise<Connected> {
  const watch = resolve(import.meta.dirname, 'watch-lookups.ts')
  const env = {
    HOME: home,
    PATH: home,
    NODE_OPTIONS: `--import ${watch}`,
    LOOKUPS_FILE: lookups,
    ...TELL_NOBODY,
  }
  return client.connect(server, { home, env })
}

/** With a token for a tenant of the client's own. */
async function addressFor({ name }: AgentClient, claims: object = {}): Promise<Server> {
  return { url: `${service.origin}/mcp`, token: await service.tokenOf({ tenant: name, ...claims }) }
}

/** As a person writes it into a configuration, in a clone. */
function commandIn(folder: string): Server {
  const [requireNode, moonbucket] = ['infra/require-node.mjs', 'infra/moonbucket.ts']
  return {
    command: process.execPath,
    args: [
      '--import',
      resolve(ROOT, requireNode),
      resolve(ROOT, moonbucket),
      'mcp',
      '--io-dir',
      folder,
    ],
    stderr: 'ignore',
  }
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => String(value),
    (error: Error) => error.message,
  )

/** The same wherever the service is. @returns The link to the file written last. */
async function useAll(connected: Connected, tools = 25): Promise<string> {
  const call = async (tool: string, args: Record<string, unknown>) =>
    JSON.parse(await connected.call(tool, args)) as unknown

  const names = await connected.list()
  expect(names).toHaveLength(tools)
  expect(names).toEqual(expect.arrayContaining(['execute_script', 'file_write', 'folder_list']))
  expect(await call('execute_script', { script: SCRIPT, args: { who: 'world' } })).toMatchObject({
    result: { n: 42 },
    logs: ['hello world'],
    files_touched: [{ name: 'out/a.txt', op: 'write', bytes: 3 }],
  })
  expect(await call('file_write', { path: 'b c.txt', content: 'abc' })).toMatchObject({
    success: true,
    data: { path: 'b c.txt', bytes: 3 },
  })
  expect(await call('folder_list', { recursive: true })).toMatchObject({
    data: { entries: [{ path: 'b c.txt' }, { path: 'out' }, { path: 'out/a.txt' }] },
  })
  const { link } = (await call('get_file_link', { path: 'b c.txt' })) as { link: string }
  const failed = connected.call('execute_script', { script: 'error("no such customer")' })
  expect(await failureOf(failed)).toContain('script:1: no such customer')
  return link
}

describe.each(AGENT_CLIENTS)('$name', (client) => {
  const { startsCommands, isMissing = false } = client

  it.skipIf(isMissing)(
    'lists, runs, writes and links at an address',
    { timeout: 120_000 },
    async () => {
      const connected = await connect(client, await addressFor(client))
      try {
        expect(await textAt(await useAll(connected))).toBe('abc')
      } finally {
        await connected.close()
      }
    },
  )

  it.skipIf(isMissing)('shows what it makes of the refusal of an expired token', async () => {
    const anHourAgo = Math.floor(Date.now() / 1000) - 3600
    const server = await addressFor(client, { exp: anHourAgo })
    const refused = connect(client, server).then((connected) => connected.call('folder_list', {}))
    expect(await failureOf(refused)).toContain(client.expired)
  })

  it.runIf(startsCommands && !isMissing)(
    'lists, runs, writes and links with a command',
    { timeout: 120_000 },
    async () => {
      const folder = mkdtempSync(join(home, 'files-'))
      const connected = await connect(client, commandIn(folder))
      try {
        // With the five that search the demo API.
        expect(await useAll(connected, 27)).toBe(`file://${folder}/b%20c.txt`)
        expect(readFileSync(join(folder, 'out/a.txt'), 'utf8')).toBe('é1')
      } finally {
        await connected.close()
      }
    },
  )
})

it('none of them looks up another machine', () => {
  expect(existsSync(lookups) ? readFileSync(lookups, 'utf8') : '').toBe('')
})
