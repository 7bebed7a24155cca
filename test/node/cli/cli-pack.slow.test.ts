/** The package of `npm run pack:cli`, installed offline as the guide says, works alone. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { VERSION } from '../../../src/version.ts'
import { serveShop } from '../../../src/demo/serve-shop.ts'
import { blockWith, readDocument } from '../../support/documents.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { start, writeScript } from './cli-process.ts'

const folder = tempFolder()
const prefix = join(folder, 'global')
/** Empty, as the folder of somebody who only has the command. */
const project = join(folder, 'project')
const command = join(prefix, 'bin/moonbucket')
const inPackage = (path: string) => join(prefix, 'lib/node_modules/moonbucket', path)

const OFFLINE = { npm_config_offline: 'true', XDG_CACHE_HOME: join(folder, 'cache') }
const env = { ...process.env, ...OFFLINE, npm_config_prefix: prefix }
const shell = (code: string, cwd: string, vars: NodeJS.ProcessEnv = env) =>
  promisify(execFile)('sh', ['-ec', code], { cwd, env: vars })

let install: string

beforeAll(async () => {
  const [pack, installing] = blockWith(readDocument('docs/command.md'), 'sh').trim().split('\n')
  install = installing!
  await shell(`${pack} -- --pack-destination ${folder}`, ROOT)
  await shell(install, folder)
  mkdirSync(project)
}, 120_000)

const moonbucket = (...args: string[]) => start(project, command, args)

describe('the package', () => {
  it('holds only what it needs, and needs no other', () => {
    const found = readdirSync(inPackage(''), { recursive: true, withFileTypes: true })
    expect(
      found
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        // Parts of the program that are loaded on demand are named after their content.
        .filter((name) => !/-[A-Z0-9]{8}\.mjs$/.test(name))
        .sort(),
    ).toEqual([
      'LICENSE',
      'LICENSES.txt',
      'README.md',
      'cli.mjs',
      'client.d.mts',
      'client.mjs',
      'lua.wasm',
      'moonbucket.mjs',
      'package.json',
    ])
    expect(readdirSync(join(prefix, 'lib/node_modules'))).toEqual(['moonbucket'])
  })

  it('explains the command, without links to what it does not hold', () => {
    const readme = readFileSync(inPackage('README.md'), 'utf8')
    expect(readme).toMatch(/^# Command line\n/)
    expect(readme).not.toMatch(/\]\(/)
  })

  it.each([
    [['--version'], `${VERSION}\n`],
    [['--help'], /moonbucket run SCRIPT/],
    [['run', '--help'], /--args JSON/],
    [['mcp', '--help'], /"mcpServers"/],
  ])('prints %j', async (args, printed) => {
    const stdout = typeof printed === 'string' ? printed : expect.stringMatching(printed)
    expect(await moonbucket(...args).ended).toEqual({ exitCode: 0, stdout, stderr: '' })
  })

  it('runs a script that writes, reads and lists files', async () => {
    const script = writeScript(
      project,
      `local out = io.open("output/a.txt", "w") out:write("one\\n", "two\\n") out:close()
       local lines = {} for line in io.lines("output/a.txt") do lines[#lines + 1] = line end
       print("read", #lines)
       return {lines = lines, names = io.list("output"), link = file.save("b.txt", "b")}`,
    )
    const { exitCode, stdout, stderr } = await moonbucket('run', script).ended
    expect({ exitCode, stderr, result: JSON.parse(stdout) as unknown }).toEqual({
      exitCode: 0,
      stderr: 'read\t2\n',
      result: {
        lines: ['one', 'two'],
        names: ['a.txt'],
        link: `file://${join(project, 'moonbucket-files/b.txt')}`,
      },
    })
    const stored = readFileSync(join(project, 'moonbucket-files/output/a.txt'), 'utf8')
    expect(stored).toBe('one\ntwo\n')
  })

  it('runs standard input with every option', async () => {
    const options = ['--io-dir', 'other', '--fuel=9000000', '--timeout=9000', '--memory=9000000']
    const { child, ended } = moonbucket('run', '-', '--json', '--args', '{"n": 2}', ...options)
    child.stdin.end('print("on") file.save("x", "y") return args.n + 1')
    const { exitCode, stdout } = await ended
    expect({ exitCode, answer: JSON.parse(stdout) as unknown }).toMatchObject({
      exitCode: 0,
      answer: { result: 3, logs: ['on'], files_touched: [{ name: 'x' }] },
    })
    expect(readFileSync(join(project, 'other/x'), 'utf8')).toBe('y')
  })

  it('has other exit codes for scripts that fail or are not there', async () => {
    const script = writeScript(project, 'error("no")')
    expect((await moonbucket('run', script).ended).exitCode).toBe(1)
    expect((await moonbucket('run', 'missing.lua').ended).exitCode).toBe(2)
  })

  it('says why the folder refuses', async () => {
    const script = writeScript(project, 'file.save("file/x", "")')
    mkdirSync(join(project, 'moonbucket-files'), { recursive: true })
    writeFileSync(join(project, 'moonbucket-files/file'), '')
    expect(await moonbucket('run', script).ended).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^moonbucket: The folder cannot do this: a file is in the place/m,
      ),
    })
  })
})

describe('an agent of the package', () => {
  const settings = join(project, 'moonbucket.toml')

  afterEach(() => writeFileSync(settings, ''))

  it.each(['the demo API', 'an API of one’s own'])('calls %s', async (which) => {
    if (which !== 'the demo API') {
      const spec = JSON.stringify(join(ROOT, 'examples/shop.yaml'))
      const { origin } = await serveShop()
      writeFileSync(settings, `[apis.shop]\nspec = ${spec}\nbase_url = "${origin}"\n`)
    }
    const client = new Client({ name: 'agent', version: '1' })
    const how = { command, args: ['mcp'], cwd: project, env: env as Record<string, string> }
    await client.connect(new StdioClientTransport({ ...how, stderr: 'ignore' }))
    const script = 'return sdk.shop.get_order{ id = 7 }.id'
    const called = await client.callTool({ name: 'execute_script', arguments: { script } })
    expect(called.structuredContent).toMatchObject({ result: 7 })
    await client.close()
  })
})

describe('an older Node', () => {
  const [node, version] = olderNode() ?? []

  const line = (found: string) => `moonbucket: Node 24 or newer is needed, this is ${found}\n`

  it('is refused in one line', async () => {
    const older = `for (const [name, value] of [['version', 'v20.1.0'], ['versions', { node: '20.1.0' }]])
      Object.defineProperty(process, name, { value })`
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(older)}`]
    const { ended } = start(project, process.execPath, [...preload, command, '--version'])
    expect(await ended).toEqual({ exitCode: 1, stdout: '', stderr: line('v20.1.0') })
  })

  it.runIf(node)('that is on this machine is refused in one line, by every command', async () => {
    for (const args of [['--version'], ['--help'], ['run', 'script.lua'], ['mcp']]) {
      const { ended } = start(project, node!, [command, ...args])
      expect(await ended).toEqual({ exitCode: 1, stdout: '', stderr: line(version!) })
    }
  })

  it.runIf(node)('that is on this machine is what npm warns of', async () => {
    const PATH = [dirname(node!), ...programFolders()].join(delimiter)
    const vars = { ...env, PATH, npm_config_prefix: join(folder, 'older') }
    const { stderr } = await shell(install, folder, vars)
    const warned = stderr.split('\n').filter((text) => text.includes('EBADENGINE'))
    expect(warned.join('\n')).toContain(`required: { node: '>=24' }`)
  })
})

/** Where programs are that npm has not put there. */
function programFolders(): string[] {
  return process.env.PATH!.split(delimiter).filter((path) => !path.includes('node_modules'))
}

/** Of this machine, with its version. */
function olderNode(): readonly [string, string] | undefined {
  const found = programFolders().map((path) => join(path, 'node'))
  const versions = found
    .filter((path) => existsSync(path))
    .map((path) => [path, String(execFileSync(path, ['--version'])).trim()] as const)
  return versions.find(([, version]) => Number.parseInt(version.slice(1)) < 24)
}
