/** What `moonbucket` says of itself, and of mistakes: one line and exit code 2. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { VERSION } from '../../../src/version.ts'
import { isAll } from '../../support/tier.ts'
import { runCli, start, startCli, writeScript } from './cli-process.ts'

let folder: string

beforeEach(() => {
  folder = tempFolder()
  writeScript(folder, 'return io ~= nil and file.save("a.txt", "abc")')
})

const configure = (toml: string) => writeFileSync(join(folder, 'moonbucket.toml'), toml)

describe('--help', () => {
  const shared = ['io-dir', 'fuel', 'timeout', 'memory']

  it.each([
    [['--help'], [], ['moonbucket run', 'moonbucket mcp']],
    [['-h'], [], ['moonbucket run', 'moonbucket mcp']],
    [
      ['run', '--help'],
      [...shared, 'args', 'json', 'remote', 'background', 'profile'],
      ['Exit codes', 'standard input', '[io]'],
    ],
    [['mcp', '-h'], shared, ['standard input', '[io]']],
    [['types', '-h'], ['out'], ['.luarc.json', 'moonbucket.toml']],
    [
      ['login', '--help'],
      ['key', 'profile', 'json'],
      ['moonbucket login URL', 'Exit codes'],
    ],
    ...[
      'logout',
      'whoami',
      'ls',
      'get',
      'put',
      'rm',
      'link',
      'runs',
      'logs',
      'cancel',
      'scripts',
      'keys',
    ].map((name): [string[], string[], string[]] => [
      [name, '--help'],
      ['profile', 'json'],
      [`moonbucket ${name}`, 'Exit codes'],
    ]),
  ])('%j explains the command with an example', async (args, options, words) => {
    const { exitCode, stdout, stderr } = await runCli(folder, ...args)
    const missing = [
      ...options.filter((name) => !stdout.includes(`\n  --${name} `)),
      ...['Example', ...words].filter((word) => !stdout.includes(word)),
    ]
    expect({ exitCode, stderr, missing }).toEqual({ exitCode: 0, stderr: '', missing: [] })
    // The name is not published: npm would run what somebody else puts there.
    expect(stdout).not.toMatch(/npx|npm exec/)
  })

  it('--version is the version alone', async () => {
    const printed = { exitCode: 0, stdout: `${VERSION}\n`, stderr: '' }
    expect(await runCli(folder, '--version')).toEqual(printed)
  })
})

describe('a mistake is one line and exit code 2', () => {
  const see = (command: string) => `see moonbucket ${command}--help`

  it.each([
    [[], `missing command: run, mcp or types; ${see('')}`],
    [['rum'], `unknown command "rum"; ${see('')}`],
    [['--json'], `unknown command "--json"; ${see('')}`],
    [['run'], `run needs a script, or - for standard input; ${see('run ')}`],
    [['run', 'a.lua', 'b.lua'], `unexpected "b.lua"; ${see('run ')}`],
    [['run', 'a.lua', '--jsn'], `Unknown option '--jsn'; ${see('run ')}`],
    [['mcp', '--json'], `Unknown option '--json'; ${see('mcp ')}`],
    [['types', 'here'], `unexpected "here"; ${see('types ')}`],
    [['types', '--out='], `--out needs a value; ${see('types ')}`],
    [['mcp', 'here'], `unexpected "here"; ${see('mcp ')}`],
    [['login'], `login needs URL; ${see('login ')}`],
    [['login', 'http://example.com'], 'http://example.com must begin with https://'],
    [['login', 'example'], '"example" is not an address'],
    [['get'], `get needs PATH; ${see('get ')}`],
    [['rm', 'a', 'b'], `unexpected "b"; ${see('rm ')}`],
    [['logs', 'a', '--all'], `Unknown option '--all'; ${see('logs ')}`],
    [['run', 'a.lua', '--background'], `--background needs --remote; ${see('run ')}`],
    [['run', 'a.lua', '--profile=x'], `--profile needs --remote; ${see('run ')}`],
    [
      ['run', 'a.lua', '--remote', '--io-dir=x'],
      `--io-dir is for runs on this machine; ${see('run ')}`,
    ],
    [['run', 'a.lua', '--io-dir'], `Option '--io-dir <value>' argument missing; ${see('run ')}`],
    [['run', 'a.lua', '--io-dir='], `--io-dir needs a value; ${see('run ')}`],
    [['run', 'a.lua'], 'the script "a.lua" cannot be read: no such file'],
    [['run', '.'], 'the script "." cannot be read (EISDIR)'],
    [['run', 'latin1.lua'], 'the script "latin1.lua" is not UTF-8'],
    [['run', 'long.lua'], 'The script is larger than 1048576 bytes.'],
    [['run', 'script.lua', '--args', '{n: 1}'], `--args must be JSON, such as '{"count": 3}'`],
    [['run', 'script.lua', '--fuel', 'much'], '--fuel: must be a whole number above 0'],
    [['run', 'script.lua', '--timeout=0'], '--timeout: must be a whole number above 0'],
    [['run', 'script.lua', '--timeout=2147483647'], '--timeout: must be at most 2147473647'],
    [['mcp', '--memory=67108865'], '--memory: must be at most 67108864'],
  ])('%j', async (args, line) => {
    writeFileSync(join(folder, 'latin1.lua'), Buffer.from('return "\xe9"', 'latin1'))
    writeFileSync(join(folder, 'long.lua'), '-'.repeat(1_048_577))
    const stderr = `moonbucket: ${line}\n`
    expect(await runCli(folder, ...args)).toEqual({ exitCode: 2, stdout: '', stderr })
  })

  it('of the process, too', async () => {
    const stderr = `moonbucket: unknown command "rum"; ${see('')}\n`
    expect(await startCli(folder, 'rum').ended).toEqual({ exitCode: 2, stdout: '', stderr })
  })

  it.each([
    ['script.lua', 'is not a folder'],
    ['script.lua/below', 'cannot be a folder: it lies below a file'],
  ])('--io-dir %s', async (dir, problem) => {
    const stderr = `moonbucket: ${join(folder, dir)} ${problem}\n`
    for (const command of [['run', 'script.lua'], ['mcp']]) {
      const ended = await runCli(folder, ...command, '--io-dir', dir)
      expect(ended).toEqual({ exitCode: 2, stdout: '', stderr })
    }
  })
})

describe('moonbucket.toml', () => {
  const run = (...options: string[]) => runCli(folder, 'run', 'script.lua', ...options)
  const linkIn = (dir: string) => `file://${join(folder, dir, 'a.txt')}\n`

  it.each([
    ['', [], 'moonbucket-files'],
    ['[io]', [], 'moonbucket-files'],
    ['[io]\ndir = "data/lua"', [], 'data/lua'],
    ['[io]\ndir = "..data"', [], '..data'],
    ['[io]\ndir = "data"', ['--io-dir', 'other'], 'other'],
    ['[io]\nenabled = false', ['--io-dir', 'other'], 'other'],
  ])('%j with %j keeps files in %s', async (toml, options, dir) => {
    configure(toml)
    expect(await run(...options)).toEqual({ exitCode: 0, stdout: linkIn(dir), stderr: '' })
  })

  it('may name a folder anywhere by its absolute path', async () => {
    mkdirSync(join(folder, 'project'))
    writeScript(join(folder, 'project'), 'file.save("a.txt", "abc")')
    const dir = join(folder, 'elsewhere')
    writeFileSync(join(folder, 'project/moonbucket.toml'), `[io]\ndir = ${JSON.stringify(dir)}`)
    await runCli(join(folder, 'project'), 'run', 'script.lua')
    expect(readdirSync(dir)).toContain('a.txt')
  })

  it('can switch files off', async () => {
    configure('[io]\nenabled = false')
    writeScript(folder, 'return {io == nil, os.remove == nil, os.rename == nil, file == nil}')
    const printed = { exitCode: 0, stdout: '[true,true,true,true]\n', stderr: '' }
    expect(await run()).toEqual(printed)
  })

  it('sets how much a run may write, also with --io-dir', async () => {
    configure('[io]\nmax_bytes = 2')
    const { exitCode, stderr } = await run('--io-dir', 'other')
    const line = 'moonbucket: script:1: I/O write limit exceeded (2 bytes)'
    expect([exitCode, stderr.split('\n')[0]]).toEqual([1, line])
  })

  it.each([
    ['[io]\nmax_byte = 1', '[io] has no key "max_byte", only dir, max_bytes, enabled'],
    ['[io]\ndir = "../data"', "[io] dir cannot contain '..'"],
    ['[io]\ndir = "/tmp/a/../b"', "[io] dir cannot contain '..'"],
    ['[io]\ndir = ""', '[io] dir must not be empty'],
    ['[io]\ndir = 1', '[io] dir must be a string'],
    ['[io]\nmax_bytes = "1"', '[io] max_bytes must be a whole number'],
    ['[io]\nmax_bytes = 0', '[io] max_bytes must be at least 1'],
    ['[io]\nenabled = "no"', '[io] enabled must be true or false'],
    ['io = 1', '[io] must be a table'],
  ])('%j is a mistake', async (toml, problem) => {
    configure(toml)
    const stderr = `moonbucket: moonbucket.toml: ${problem}\n`
    expect(await run()).toEqual({ exitCode: 2, stdout: '', stderr })
  })

  it('that is no TOML is a mistake of its line', async () => {
    configure('[io]\ndir = data')
    const { exitCode, stderr } = await run()
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^moonbucket: moonbucket\.toml:2:7: .*\n$/),
    ])
  })
})

describe('npm run moonbucket', () => {
  const npm = (...args: string[]) =>
    start(folder, 'npm', ['--prefix', ROOT, 'run', '-s', 'moonbucket', '--', ...args])

  it('means the folder that the person is in', async () => {
    const { exitCode, stdout } = await npm('run', 'script.lua').ended
    const link = `file://${join(folder, 'moonbucket-files/a.txt')}\n`
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: link })
  })

  it.runIf(isAll)('passes exit codes on', async () => {
    expect((await npm('run', 'missing.lua').ended).exitCode).toBe(2)
  })

  it.runIf(isAll)('stops with npm, and what the script wrote is stored', async () => {
    writeScript(folder, 'io.open("a.txt", "w"):write("kept") print("ready") while true do end')
    const { child, ended, until } = npm('run', 'script.lua')
    await until('stderr', 'ready\n')
    child.kill('SIGTERM')
    expect((await ended).stderr).toContain('moonbucket: stopped by SIGTERM\n')
    expect(readFileSync(join(folder, 'moonbucket-files/a.txt'), 'utf8')).toBe('kept')
  })
})
