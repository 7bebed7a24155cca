/** `moonbucket mcp`: real clients of every revision over standard input and output. */
import { EventEmitter } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { runCommand } from '../../../src/cli/command.ts'
import { isAll, onePer } from '../../support/tier.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { CLI, startCli, WITHOUT_APIS } from './cli-process.ts'

const ABOUT = { name: 'test', version: '1' }
const SCRIPT = `
  local out = io.open("output/rows.csv", "w")
  for i = 1, args.rows do out:write(i, "\\n") end
  out:close()
  print("done")
  return io.list("output")`

let folder: string

beforeEach(() => {
  folder = tempFolder()
})

/** As the tests use either client. */
interface AnyClient {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  readResource(resource: { uri: string }): Promise<unknown>
  listTools(): Promise<{ tools: { name: string }[] }>
  close(): Promise<void>
}

const how = () => ({
  command: process.execPath,
  args: [CLI, 'mcp', '--io-dir', 'files'],
  cwd: folder,
  stderr: 'ignore' as const,
})

async function connect(mode: 'legacy' | { pin: string }): Promise<AnyClient> {
  const client = new Client(ABOUT, { versionNegotiation: { mode } })
  await client.connect(new StdioClientTransport(how()))
  onTestFinished(() => client.close())
  return client as AnyClient
}

async function connectV1(): Promise<AnyClient> {
  const client = new ClientV1(ABOUT)
  await client.connect(new StdioClientTransportV1(how()))
  onTestFinished(() => client.close())
  return client as AnyClient
}

/** To the command in this process: lines of messages are the same in both directions. */
async function connectHere(...options: string[]): Promise<AnyClient> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const signals = new EventEmitter()
  await runCommand(['mcp', ...options], { ...WITHOUT_APIS, folder, stdin, stdout, stderr, signals })
  const client = new Client(ABOUT)
  await client.connect(new StdioServerTransport(stdout, stdin))
  onTestFinished(async () => {
    await client.close()
    stdin.end()
  })
  return client as AnyClient
}

const call = (client: AnyClient, name: string, args: Record<string, unknown>) =>
  client.callTool({ name, arguments: args }) as Promise<{
    structuredContent: Record<string, unknown>
    content: { type: string; text?: string }[]
    isError?: boolean
  }>

const CLIENTS: [name: string, connect: () => Promise<AnyClient>, revision: string][] = [
  ['the client of version 1', connectV1, '2025'],
  ['the client of version 2, with the 2025 revisions', () => connect('legacy'), '2025'],
  ['the client of version 2, with 2026-07-28', () => connect({ pin: '2026-07-28' }), '2026'],
]

describe.each(onePer(CLIENTS, ([, , revision]) => revision))('%s', (_, connectClient) => {
  it('runs a script and reads its file', async () => {
    const client = await connectClient()
    const answer = await call(client, 'execute_script', { script: SCRIPT, args: { rows: 3 } })
    const link = `file://${join(folder, 'files/output/rows.csv')}`
    expect(answer.structuredContent).toEqual({
      result: ['rows.csv'],
      logs: ['done'],
      files_touched: [{ name: 'output/rows.csv', op: 'write', bytes: 6, link }],
    })
    const uri = 'moonbucket:///output/rows.csv'
    expect(await client.readResource({ uri })).toMatchObject({
      contents: [{ uri, mimeType: 'text/csv; charset=utf-8', text: '1\n2\n3\n' }],
    })
    expect(readFileSync(join(folder, 'files/output/rows.csv'), 'utf8')).toBe('1\n2\n3\n')
    expect((await client.listTools()).tools.length).toBeGreaterThan(10)
  })
})

describe('the tools', () => {
  it('give links that are the files themselves and do not end', async () => {
    const client = await connectHere('--io-dir', 'files')
    const addressOf = (path: string) => `file://${join(folder, 'files', path)}`
    const written = await call(client, 'file_write', { path: 'a b.txt', content: 'abc' })
    expect(written.structuredContent).toMatchObject({
      data: { path: 'a b.txt', bytes: 3, link: addressOf('a%20b.txt') },
    })
    const file = await call(client, 'get_file_link', { path: 'a b.txt' })
    expect(file.structuredContent).toEqual({ link: addressOf('a%20b.txt') })
    const root = await call(client, 'get_file_link', { path: '.' })
    expect(root.structuredContent).toMatchObject({ link: addressOf('') })
    const missing = await call(client, 'get_file_link', { path: 'missing' })
    expect(missing.isError).toBe(true)
    const report = await call(client, 'save_result_page', { title: 'T', content: 'x' })
    expect(report.structuredContent).toMatchObject({
      link: addressOf(String(report.structuredContent.path)),
    })
    expect(report.structuredContent).not.toHaveProperty('expires_at')
  })

  it('list what people put into the folder', async () => {
    mkdirSync(join(folder, 'files/share/deep'), { recursive: true })
    writeFileSync(join(folder, 'files/share/deep/in.txt'), 'x')
    writeFileSync(join(folder, 'files/top.txt'), 'x')
    const client = await connectHere('--io-dir', 'files')
    const { structuredContent } = await call(client, 'folder_list', { recursive: true })
    const { entries } = structuredContent.data as { entries: { path: string }[] }
    expect(entries.map(({ path }) => path)).toEqual([
      'share',
      'share/deep',
      'share/deep/in.txt',
      'top.txt',
    ])
  })

  it('say where to copy a file to instead of an upload link', async () => {
    const client = await connectHere('--io-dir', 'files')
    const { isError, content } = await call(client, 'get_upload_link', { path: 'in/rows.csv' })
    const address = `file://${join(folder, 'files/in/rows.csv')}`
    const text = `There is no server to send a file to. Copy it to ${address} instead.`
    expect({ isError, content }).toEqual({ isError: true, content: [{ type: 'text', text }] })
  })

  it('revoke no links, which have no end', async () => {
    const client = await connectHere('--io-dir', 'files')
    const { isError, content } = await call(client, 'revoke_links', { all: true })
    const text = 'Links to files of this machine cannot be revoked.'
    expect({ isError, content }).toEqual({ isError: true, content: [{ type: 'text', text }] })
    expect(existsSync(join(folder, 'files'))).toBe(false)
  })

  it('say why the folder refuses', async () => {
    mkdirSync(join(folder, 'files'))
    symlinkSync('/etc', join(folder, 'files/way'))
    const client = await connectHere('--io-dir', 'files')
    for (const [tool, args] of [
      ['file_read', { path: 'way/passwd' }],
      ['file_write', { path: 'way/new.txt', content: 'x' }],
    ] as const) {
      const { structuredContent } = await call(client, tool, args)
      expect(structuredContent).toMatchObject({
        success: false,
        error: expect.stringContaining('symbolic links are not followed'),
      })
    }
  })

  it('touch nothing where files are switched off', async () => {
    writeFileSync(join(folder, 'moonbucket.toml'), '[io]\nenabled = false')
    const client = await connectHere()
    const script = await call(client, 'execute_script', { script: 'return io == nil' })
    expect(script.structuredContent).toMatchObject({ result: true })
    for (const [tool, args] of [
      ['file_write', { path: 'a.txt', content: 'x' }],
      ['file_read', { path: 'a.txt' }],
      ['folder_list', {}],
    ] as const) {
      const { structuredContent } = await call(client, tool, args)
      expect(structuredContent).toMatchObject({
        success: false,
        error: 'Files are disabled in moonbucket.toml.',
      })
    }
  })
})

describe('the process', () => {
  const request = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
  const hello = request(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: ABOUT,
  })
  const execute = (script: string) =>
    request(2, 'tools/call', {
      name: 'execute_script',
      arguments: { script },
      _meta: { progressToken: 'p' },
    })

  it('writes nothing but messages to standard output, and its log to standard error', async () => {
    const { child, ended, until } = startCli(folder, 'mcp')
    const answered = until('stdout', '"id":2')
    child.stdin.write(`${hello}no message\n${execute('return 1')}`)
    await answered
    child.stdin.end()
    const { exitCode, stdout, stderr } = await ended
    expect({ exitCode, ids: linesOf(stdout).map(({ id }) => id) }).toEqual({
      exitCode: 0,
      ids: [1, 2],
    })
    expect(linesOf(stderr)).toEqual([
      expect.objectContaining({ event: 'run', tenant: 'local', outcome: 'ok' }),
    ])
  })

  it.runIf(isAll)(
    'keeps large integers and escaped keys of args, however the message is cut',
    async () => {
      const { child, ended, until } = startCli(folder, 'mcp')
      const answered = until('stdout', '"id":2')
      const line = execute('return {args.n == 9007199254740993, args["\\n"], args["é"]}').replace(
        '"arguments":{',
        '"arguments":{"args":{"n":9007199254740993,"\\n":2,"é":3},',
      )
      const bytes = Buffer.from(hello + line)
      const middle = bytes.indexOf('é') + 1
      child.stdin.write(bytes.subarray(0, middle))
      setImmediate(() => child.stdin.write(bytes.subarray(middle)))
      await answered
      child.stdin.end()
      const { stdout } = await ended
      expect(stdout).toContain('"result":[true,2,3]')
    },
  )

  it.each(isAll ? (['the end of its input', 'SIGTERM', 'SIGINT'] as const) : ['SIGTERM' as const])(
    'stores what a script has written, then ends, at %s',
    async (end) => {
      const { child, ended, until } = startCli(folder, 'mcp')
      const running = until('stdout', '"message":"ready"')
      child.stdin.write(hello)
      child.stdin.write(
        execute('io.open("open.txt", "w"):write("kept") print("ready") while true do end'),
      )
      await running
      if (end === 'the end of its input') child.stdin.end()
      else child.kill(end)
      const { exitCode, stderr } = await ended
      const runs = linesOf(stderr).filter(({ event }) => event === 'run')
      expect({ exitCode, outcomes: runs.map(({ outcome }) => outcome) }).toEqual({
        exitCode: 0,
        outcomes: ['timeout'],
      })
      expect(readFileSync(join(folder, 'moonbucket-files/open.txt'), 'utf8')).toBe('kept')
    },
  )
})

function linesOf(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
