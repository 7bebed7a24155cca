/** What the README says is true: its tables, its commands and every block of code. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SETTINGS } from '../src/config.ts'
import { DEFAULT_LIMITS } from '../src/limits.ts'
import { API_TOOLS } from './support/operations.ts'
import { packageFile } from './all/packages.ts'
import { makeMcp } from './mcp/make-mcp.ts'
import { freePort, ROOT, startDev, untilGone, varsFile, type DevServer } from './node/dev-server.ts'
import { runLua } from './support/run-lua.ts'
import { isAll } from './support/tier.ts'

const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, code]) => ({
  language: language!,
  code: code!,
}))

describe('the tables of the README', () => {
  it('list every limit with its default', () => {
    const rows = [...section('Limits').matchAll(/^\| `(\w+)` +\| ([\d,]+) +\|/gm)]
    const limits = rows.map(([, name, value]) => [name, Number(value!.replaceAll(',', ''))])
    expect(Object.fromEntries(limits)).toEqual(DEFAULT_LIMITS)
  })

  it('list every setting and no other', () => {
    const cells = [...section('Settings').matchAll(/^\|([^|]+)\|/gm)].map(([, cell]) => cell!)
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z\d_]+)`/g)])
    expect(named.map(([, name]) => name).sort()).toEqual(SETTINGS.toSorted())
  })

  it('name only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const named = [...readme.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name!)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  it('show every folder and file at the top of src', () => {
    const cells = [...section('Map of `src`').matchAll(/^\|([^|]+)\|/gm)].map(([, cell]) => cell!)
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([\w./-]+)`/g)])
    const top = named.map(([, name]) => name!).filter((name) => !name.includes('/'))
    expect(top.sort()).toEqual(readdirSync(resolve(ROOT, 'src')).sort())
  })
})

describe('the code blocks of the README', () => {
  const [start, curl, answer, inspector, host, local, lua, settings, calls, test, ...others] =
    blocks
  let folder: string
  let server: DevServer
  let port: number

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'moonbucket-readme-'))
    port = await freePort()
    server = await startDev(port, folder)
  })

  afterAll(async () => {
    process.kill(-server.pid, 'SIGTERM')
    await untilGone(server.pid)
    rmSync(folder, { recursive: true })
  })

  it('are these', () => {
    expect(blocks.map(({ language }) => language)).toEqual([
      'sh',
      'sh',
      'json',
      'sh',
      'json',
      'sh',
      'lua',
      'toml',
      'lua',
      'sh',
    ])
    // What they do, the test of the data dump shows.
    expect([settings!.code, calls!.code].join()).toMatch(/\[apis\.shop\][^]*sdk\.pages/)
    expect(others).toEqual([])
    expect(start!.code).toBe('npm ci && npm run dev\n')
  })

  it('run a script, which answers as shown', async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', here(curl!.code)], { cwd: ROOT })
    const real = JSON.parse(stdout) as { files_touched: { url: string; link: string }[] }
    const shown = answer!.code.replaceAll('127.0.0.1:8787', `127.0.0.1:${port}`)
    expect(real).toEqual(JSON.parse(shown, (_, value: unknown) => patternOf(value)))
    for (const address of Object.values(real.files_touched[0]!).filter(isAddress)) {
      expect(await (await fetch(address)).text()).toBe('1,1\n2,4\n3,9\n')
    }
  })

  it('list the tools, as the table of the README does', async () => {
    const tools = isAll ? await inspectedTools() : await (await makeMcp()).tools()
    const rows = section('The same for a model').matchAll(/^\|((?: `\w+`)+) +\|/gm)
    const named = [...rows].flatMap(([, cell]) => cell!.match(/\w+/g)!)
    const ofApis = API_TOOLS.map(({ tool }) => tool)
    expect(named.sort()).toEqual([...tools.map(({ name }) => name), ...ofApis].sort())
  })

  /** By the command that is shown, with the package that is installed. */
  async function inspectedTools(): Promise<{ name: string }[]> {
    const { dependencies } = JSON.parse(
      readFileSync(resolve(ROOT, 'test/all/package.json'), 'utf8'),
    ) as { dependencies: Record<string, string> }
    const name = '@modelcontextprotocol/inspector'
    const shown = `npx -y ${name}@${dependencies[name]} `
    expect(inspector!.code).toContain(shown)
    const command = here(inspector!.code).replace(shown, `${packageFile('.bin/mcp-inspector')} `)
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: ROOT })
    return (JSON.parse(stdout) as { tools: { name: string }[] }).tools
  }

  it('show hosts an address that the service has', () => {
    const { mcpServers } = JSON.parse(host!.code) as { mcpServers: Record<string, { url: string }> }
    expect(new URL(mcpServers.moonbucket!.url).pathname).toBe('/mcp')
  })

  it('run a script without a server', async () => {
    const command = local!.code.replace(/run -\n$/, `run - --io-dir ${join(folder, 'files')}\n`)
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: ROOT })
    expect(JSON.parse(stdout)).toEqual(['hello.txt'])
    expect(readFileSync(join(folder, 'files/hello.txt'), 'utf8')).toBe('Hello')
  })

  it('show a script that works', async () => {
    const { result, error, files } = await runLua(lua!.code)
    expect({ result, error }).toEqual({ result: 2, error: undefined })
    expect(files.map(({ name }) => name)).toEqual([
      'output/report.md',
      'regions/north.json',
      'regions/south.json',
    ])
  })

  /** A command for the service of this test. */
  function here(command: string): string {
    return command
      .replace('127.0.0.1:8787', `127.0.0.1:${port}`)
      .replace('--user alice', `--user alice --vars ${varsFile(folder)}`)
  }

  it('end with the command that CI runs', () => {
    const ci = readFileSync(resolve(ROOT, '.ci/run'), 'utf8')
    expect(ci).toContain(`(${test!.code.trim()})`)
  })
})

/** The text of one second-level heading. */
function section(title: string): string {
  const text = readme.split(/^## /m).find((part) => part.startsWith(`${title}\n`))
  if (text === undefined) throw new Error(`the README has no section ${title}`)
  return text
}

/** Where the README shortens an address or shows a date, any will do. */
function patternOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.endsWith('…')) return expect.stringContaining(value.slice(0, -1))
  return /^\d{4}-\d\d-\d\dT/.test(value) ? expect.stringMatching(/^\d{4}-.*:\d\dZ$/) : value
}

function isAddress(value: unknown): value is string {
  return String(value).startsWith('http')
}
