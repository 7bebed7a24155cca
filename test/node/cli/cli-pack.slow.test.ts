/** The package of `npm run pack:cli` works alone: installed offline, run with npx. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { start, writeScript } from './cli-process.ts'

const npm = (cwd: string, ...args: string[]) => promisify(execFile)('npm', args, { cwd })

const folder = tempFolder()
const project = join(folder, 'project')

beforeAll(async () => {
  await npm(ROOT, 'run', 'pack:cli', '--', '--pack-destination', folder)
  mkdirSync(project)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  await npm(project, 'install', '--offline', `../${tarball}`)
}, 60_000)

const inPackage = (path: string) => join(project, 'node_modules/moonbucket', path)
const moonbucket = (...args: string[]) =>
  start(project, 'npx', ['--offline', 'moonbucket', ...args])

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
      'lua.wasm',
      'moonbucket.mjs',
      'package.json',
    ])
    expect(
      readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['moonbucket'])
  })

  it('explains the command, without links to what it does not hold', () => {
    const readme = readFileSync(inPackage('README.md'), 'utf8')
    expect(readme).toMatch(/^# Command line\n/)
    expect(readme).not.toMatch(/\]\(/)
  })

  it('runs a script that writes, reads and lists files', async () => {
    const script = writeScript(
      project,
      `local out = io.open("output/a.txt", "w") out:write("one\\n", "two\\n") out:close()
       local lines = {} for line in io.lines("output/a.txt") do lines[#lines + 1] = line end
       print("read", #lines)
       return {lines = lines, names = io.list("output"), link = file.save("b.txt", "b")}`,
    )
    const { ended } = moonbucket('run', script)
    const { exitCode, stdout, stderr } = await ended
    expect({ exitCode, result: JSON.parse(stdout) as unknown }).toEqual({
      exitCode: 0,
      result: {
        lines: ['one', 'two'],
        names: ['a.txt'],
        link: `file://${join(project, 'moonbucket-files/b.txt')}`,
      },
    })
    expect(stderr).toContain('read\t2\n')
    const stored = readFileSync(join(project, 'moonbucket-files/output/a.txt'), 'utf8')
    expect(stored).toBe('one\ntwo\n')
  })

  it('says why the folder refuses', async () => {
    const script = writeScript(project, 'file.save("file/x", "")')
    writeFileSync(join(project, 'moonbucket-files/file'), '')
    const { ended } = moonbucket('run', script)
    expect(await ended).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^moonbucket: The folder cannot do this: a file is in the place/m,
      ),
    })
  })

  it('speaks MCP', async () => {
    const { child, ended, until } = moonbucket('mcp')
    const answered = until('stdout', '"serverInfo"')
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`,
    )
    await answered
    child.stdin.end()
    expect((await ended).exitCode).toBe(0)
  })

  it('says in one line that Node is too old', async () => {
    const older = `for (const [name, value] of [['version', 'v20.1.0'], ['versions', { node: '20.1.0' }]])
      Object.defineProperty(process, name, { value })`
    const { ended } = start(project, process.execPath, [
      '--import',
      `data:text/javascript,${encodeURIComponent(older)}`,
      inPackage('moonbucket.mjs'),
      '--version',
    ])
    expect(await ended).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'moonbucket: Node 24 or newer is needed, this is v20.1.0\n',
    })
  })
})
