/** The Inspector's command line against the Worker as it is deployed, in both eras of the protocol. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { afterAll, describe, expect, it } from 'vitest'
import { packageFile } from '../../all/packages.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import type { Answer } from '../../support/make-app.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startMcpWorker, type Claims } from './mcp-worker.ts'

const INSPECTOR = packageFile('.bin/mcp-inspector')

const home = tempFolder()
const worker = await startMcpWorker()
afterAll(() => worker.stop())

interface Inspected<T> {
  readonly exitCode: number
  readonly result?: T
  readonly error?: { readonly code: string; readonly message: string }
}

describe.each(['modern', 'legacy'])('in the %s era the Inspector', (era) => {
  const own = { tenant: `inspects ${era}` }

  /** @param claims Those of the token; `null` sends none. */
  async function inspect<T>(
    args: readonly string[],
    claims: Claims | null = own,
  ): Promise<Inspected<T>> {
    const token = claims && (await worker.tokenOf(claims))
    const server = ['--cli', worker.address, '--transport', 'http', '--protocol-era', era]
    const output = ['--format', 'json', '--quiet', '--stored-auth-only']
    const header = token === null ? [] : ['--header', `Authorization: Bearer ${token}`]
    const command = [INSPECTOR, ...server, ...output, ...header, '--method', ...args]
    // In a home of its own, and without a way to find a browser.
    const child = spawn(process.execPath, command, { env: { HOME: home, PATH: home } })
    const [stdout, stderr, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number]>,
    ])
    // Beside its own errors there may be advice.
    const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.startsWith('{'))
    const told = lines.map((line) => JSON.parse(line) as object)
    return Object.assign({ exitCode }, ...told) as Inspected<T>
  }

  async function runScript(script: string, args?: unknown, claims?: Claims) {
    const json = JSON.stringify({ script, args })
    const call = ['tools/call', '--tool-name', 'execute_script', '--tool-args-json', json]
    const { exitCode, result, error } = await inspect<CallToolResult>(call, claims)
    const [first, ...links] = result?.content ?? []
    const answer = result?.structuredContent as Answer | undefined
    return { exitCode, answer, said: first?.type === 'text' ? first.text : '', links, error }
  }

  it('lists the tools and finds no error in their schemas', async () => {
    const { exitCode, result } = await inspect<{ tools: object[] }>(['tools/list', '--strict'])
    expect([exitCode, result!.tools.length]).toEqual([0, 25])
    expect(result!.tools[0]).toMatchObject({ name: 'execute_script', title: 'Run a Lua script' })
  })

  it('runs a script and gets a link that opens', async () => {
    const script = 'io.open("a.txt", "w"):write("é", args.n):close() return args.n * 2'
    const { exitCode, answer, said, links } = await runScript(script, { n: 21 })
    expect([exitCode, answer]).toMatchObject([0, { result: 42, files_touched: [{ bytes: 4 }] }])
    expect(JSON.parse(said)).toEqual(answer)
    const { link } = answer!.files_touched[0]!
    expect(links).toMatchObject([{ type: 'resource_link', name: 'a.txt', uri: link }])
    expect(await (await fetchAnew(link!)).text()).toBe('é21')
  })

  it('is refused without a token, and with one that allows too little', async () => {
    const refused = await inspect(['tools/list'], null)
    expect(refused).toMatchObject({ exitCode: 3, error: { code: 'auth_required' } })
    const { exitCode, error } = await runScript('return 1', undefined, {
      ...own,
      scope: 'files:read',
    })
    expect([exitCode, error!.message]).toEqual([1, 'Insufficient scope: required "execute"'])
  })
})
