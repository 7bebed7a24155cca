/** `moonbucket run`: what goes where, with which exit code, and which bytes are in the folder then. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { CLI, runCli, start, startCli, writeScript } from './cli-process.ts'
import { isAll } from '../../support/tier.ts'

let folder: string

beforeEach(() => {
  folder = tempFolder()
})

/** Relative to the default folder for files. */
const inFiles = (path: string) => join(folder, 'moonbucket-files', path)
const contentOf = (path: string) => readFileSync(inFiles(path), 'utf8')
const run = (script: string, ...options: string[]) =>
  runCli(folder, 'run', writeScript(folder, script), ...options)

describe('the result', () => {
  it.each([
    ['return 42', '42\n'],
    ['return {rows = 3, names = {"a", "b"}}', '{"names":["a","b"],"rows":3}\n'],
    ['return true', 'true\n'],
    ['return "as it is: ü"', 'as it is: ü\n'],
    ['return "one line end\\n"', 'one line end\n'],
    ['return nil', ''],
    ['local x = 1', ''],
    ['#!/usr/bin/env moonbucket run\nreturn 1', '1\n'],
    ['\u{feff}return 2', '2\n'],
  ])('of %j is %j', async (script, stdout) => {
    expect(await run(script)).toEqual({ exitCode: 0, stdout, stderr: '' })
  })

  it.runIf(isAll)('comes whole, however long it is', async () => {
    const script = writeScript(folder, 'return string.rep("x", 1000000)')
    const { stdout } = await startCli(folder, 'run', script).ended
    expect(stdout).toBe(`${'x'.repeat(1_000_000)}\n`)
  })

  it('is of the args, to the last digit', async () => {
    const { stdout } = await run('return args.n + 1', '--args', '{"n": 9007199254740992}')
    expect(stdout).toBe('9007199254740993\n')
  })

  it.runIf(isAll)('is that of a script from standard input', async () => {
    const { child, ended } = startCli(folder, 'run', '-')
    child.stdin.end('print("from a pipe") return 1')
    expect(await ended).toEqual({ exitCode: 0, stdout: '1\n', stderr: 'from a pipe\n' })
  })
})

describe('the files', () => {
  it('are plain files of the folder, and links lead to them', async () => {
    const { exitCode, stdout } = await run(`
      local out = io.open("output/a b#ü%.txt", "wb")
      out:write("bytes: \\0\\255\\n")
      out:close()
      local again = io.open("output/a b#ü%.txt", "rb")
      return {content = again:read("a") == "bytes: \\0\\255\\n", names = io.list("output"),
              link = file.save("output/saved.txt", "saved")}`)
    const { link, ...result } = JSON.parse(stdout) as { link: string }
    expect({ exitCode, result }).toEqual({
      exitCode: 0,
      result: { content: true, names: ['a b#ü%.txt'] },
    })
    expect(readFileSync(inFiles('output/a b#ü%.txt'), 'latin1')).toBe('bytes: \0\xff\n')
    expect(fileURLToPath(link)).toBe(inFiles('output/saved.txt'))
  })

  it('of one run are there for the next, and for people', async () => {
    await run('file.save("step/one.txt", "first")')
    writeFileSync(inFiles('step/two.txt'), 'a person was here')
    const { stdout } = await run(
      'local all = {} for _, n in ipairs(io.list("step")) do all[#all + 1] = io.open("step/" .. n):read("a") end return all',
    )
    expect(JSON.parse(stdout)).toEqual(['first', 'a person was here'])
  })

  it('have no areas: share is a folder like any other', async () => {
    const { stdout } = await run(
      'file.save("share/a", "1") file.save("Share/b", "2") file.save("c", "3") return io.list()',
    )
    expect(JSON.parse(stdout)).toEqual(['Share', 'c', 'share'])
    expect([contentOf('share/a'), contentOf('Share/b'), contentOf('c')]).toEqual(['1', '2', '3'])
  })

  it('make their folder only when there is one', async () => {
    await run('return io.list()')
    expect(existsSync(inFiles(''))).toBe(false)
  })

  it('lie in --io-dir, wherever that is', async () => {
    mkdirSync(join(folder, 'here'))
    const script = writeScript(join(folder, 'here'), 'file.save("a.txt", "there")')
    const { exitCode } = await runCli(join(folder, 'here'), 'run', script, '--io-dir', '../there')
    expect(exitCode).toBe(0)
    expect(readFileSync(join(folder, 'there/a.txt'), 'utf8')).toBe('there')
  })

  it('of a script that fails are kept', async () => {
    const { exitCode } = await run(
      'file.save("closed.txt", "kept") io.open("open.txt", "w"):write("kept too") error("boom")',
    )
    expect([exitCode, contentOf('closed.txt'), contentOf('open.txt')]).toEqual([
      1,
      'kept',
      'kept too',
    ])
  })
})

describe('nothing leads out of the folder', () => {
  const outside = () => join(folder, 'outside')

  beforeEach(() => {
    mkdirSync(outside())
    mkdirSync(inFiles(''))
    writeFileSync(join(outside(), 'secret.txt'), 'secret')
    symlinkSync(outside(), inFiles('way'))
    symlinkSync(join(outside(), 'secret.txt'), inFiles('link.txt'))
  })

  it.each([
    ['../outside/secret.txt', "path cannot contain '..' traversal"],
    ['/etc/passwd', 'path must be relative'],
  ])('not %s', async (path, sentence) => {
    for (const mode of ['r', 'w']) {
      const { exitCode, stderr } = await run(`io.open("${path}", "${mode}")`)
      expect({ exitCode, line: stderr.split('\n', 1)[0] }).toEqual({
        exitCode: 1,
        line: `moonbucket: script:1: ${sentence}`,
      })
    }
  })

  it.each(['way/secret.txt', 'link.txt'])('not reading the symbolic link %s', async (path) => {
    const { stdout, stderr } = await run(`return {io.open("${path}")}, io.list("way")`)
    expect({ stdout, stderr }).toEqual({
      stdout: `{"2":"${path}: Input/output error","3":5}\n`,
      stderr: expect.stringContaining('moonbucket: The folder cannot do this: symbolic links'),
    })
  })

  it.each(['way/new.txt', 'link.txt'])('not writing the symbolic link %s', async (path) => {
    const { exitCode, stderr } = await run(`file.save("${path}", "changed") return 1`)
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining(
        `moonbucket: not everything was stored; not accepted by the store: ${path}\n`,
      ),
    })
    expect(readdirSync(outside())).toEqual(['secret.txt'])
    expect(readFileSync(join(outside(), 'secret.txt'), 'utf8')).toBe('secret')
  })
})

describe('a script that fails', () => {
  it('has its message and traceback on standard error', async () => {
    expect(await run('print("before")\nlocal function f() error("boom") end\nf()')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^before\nmoonbucket: script:2: boom\nstack traceback:\n[^]*script:3: in main chunk\n$/,
      ),
    })
  })

  it.each([
    ['return +', [], /^moonbucket: .*syntax error|unexpected symbol/],
    ['while true do end', ['--fuel', '1000000'], /^moonbucket: out of fuel.* 1000000 units\n$/],
    [
      'while true do end',
      ['--timeout', '200'],
      /^moonbucket: the script ran longer than 200 ms\n$/,
    ],
    ['return #("x"):rep(8e6)', ['--memory', '4000000'], /^moonbucket: .*not enough memory/],
  ])('as %j with %j does, ends with 1', async (script, options, stderr) => {
    expect(await run(script, ...options)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(stderr),
    })
  })
})

it('what the folder cannot hold is named, with the reason', async () => {
  mkdirSync(inFiles(''))
  writeFileSync(inFiles('a'), 'a file')
  const { exitCode, stdout, stderr } = await run('file.save("a/b.txt", "x") return "kept"')
  expect({ exitCode, stdout, lines: stderr.split('\n') }).toEqual({
    exitCode: 1,
    stdout: 'kept\n',
    lines: [
      expect.stringContaining(
        'moonbucket: The folder cannot do this: a file is in the place of a folder',
      ),
      'moonbucket: not everything was stored; not accepted by the store: a/b.txt',
      '',
    ],
  })
})

it('a script that breaks its VM prints the message, exits with 1 and keeps closed files', async () => {
  const script = 'print("one") io.open("a.txt", "w"):write("1"):close() os.difftime(1, 0)'
  const damaged = join(ROOT, 'test/support/use-damaged-lua.ts')
  const args = ['--import', damaged, CLI, 'run', writeScript(folder, script)]
  const { child, ended } = start(folder, process.execPath, args)
  child.stdin.end()
  expect(await ended).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^one\nmoonbucket: the script broke the VM \([a-z -]+\)\n$/),
  })
  expect(contentOf('a.txt')).toBe('1')
})

it('--json prints the whole answer', async () => {
  const { exitCode, stdout, stderr } = await run(
    'print("log") file.save("a.txt", "abc") error("boom")',
    '--json',
  )
  const link = `file://${inFiles('a.txt')}`
  expect({ exitCode, stderr, answer: JSON.parse(stdout) as unknown }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining('log\nmoonbucket: script:1: boom\n'),
    answer: {
      result: null,
      logs: ['log'],
      files_touched: [{ name: 'a.txt', op: 'write', bytes: 3, link, url: link }],
      error: {
        kind: 'runtime',
        message: 'script:1: boom',
        line: 1,
        traceback: expect.stringContaining('stack traceback:'),
      },
    },
  })
})

describe('while a script runs', () => {
  it('its logs appear', async () => {
    const script =
      'print("started") repeat local seen = io.list("signals") until seen return "seen"'
    const { ended, until } = startCli(folder, 'run', writeScript(folder, script))
    await until('stderr', 'started\n')
    mkdirSync(inFiles('signals'), { recursive: true })
    expect(await ended).toEqual({ exitCode: 0, stdout: 'seen\n', stderr: 'started\n' })
  })

  it.each([
    ['SIGINT', 130, 'while true do end'],
    ['SIGINT', 130, 'while true do io.list() end'],
    ['SIGTERM', 143, 'while true do end'],
  ] as const)('%s ends it with %i in %j, and what it wrote is stored', async (...row) => {
    const [signal, exitCode, loop] = row
    const script = `file.save("closed.txt", "kept") io.open("open.txt", "w"):write("too") print("ready") ${loop}`
    const { child, ended, until } = startCli(folder, 'run', writeScript(folder, script))
    await until('stderr', 'ready\n')
    child.kill(signal)
    expect(await ended).toEqual({
      exitCode,
      stdout: '',
      stderr: `ready\nmoonbucket: stopped by ${signal}\n`,
    })
    expect([contentOf('closed.txt'), contentOf('open.txt')]).toEqual(['kept', 'too'])
  })

  it.runIf(isAll)('survives a closed output pipe', async () => {
    const command = `"$0" "$1" run - 2>/dev/null | head -c 3; echo "\${PIPESTATUS[0]}"`
    const { child, ended } = start(folder, 'bash', ['-c', command, process.execPath, CLI])
    child.stdin.end('return string.rep("x", 1000000)')
    expect(await ended).toEqual({ exitCode: 0, stdout: 'xxx0\n', stderr: '' })
  })
})

describe('--plan', () => {
  const script = 'io.open("a.txt", "w"):write("new\\n"):close() os.remove("b.txt") return 1'

  it('tells what the script would do, and leaves the folder as it is', async () => {
    expect(await run(script, '--plan')).toEqual({
      exitCode: 0,
      stdout: '1\n',
      stderr: `would write a.txt (4 bytes)

--- /dev/null
+++ b/a.txt
@@ -0,0 +1,1 @@
+new
`,
    })
    expect(existsSync(inFiles('.'))).toBe(false)
    await run(script)
    expect(contentOf('a.txt')).toBe('new\n')
    const { stderr } = await run('os.remove("a.txt")', '--plan')
    expect(stderr).toContain('would remove a.txt\n')
    expect(contentOf('a.txt')).toBe('new\n')
  })
})
