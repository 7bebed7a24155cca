/** The commands that talk to a service, each against the Worker. */
import { EventEmitter } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { remoteSummary } from '../../../src/cli/remote/commands.ts'
import { signToken } from '../../support/sign-token.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { sharedWorker } from '../start-worker.ts'
import { runCliWith as runCli, writeScript } from './cli-process.ts'

const folder = tempFolder()
const env = { XDG_CONFIG_HOME: join(folder, 'config') }
const printed: string[] = []
const called = new Set<string>()
let url: string
let token: string

/** Remembers which commands have succeeded. */
const runCliWith: typeof runCli = async (surroundings, ...args) => {
  const ended = await runCli(surroundings, ...args)
  if (ended.exitCode === 0) called.add(args[0]!)
  return ended
}

/** Remembers what was printed: a token must not be in it. */
async function moonbucket(...args: string[]) {
  const ended = await runCliWith({ folder, env }, ...args)
  printed.push(ended.stdout, ended.stderr)
  return ended
}

async function json<T>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await moonbucket(...args, '--json')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return JSON.parse(stdout) as T
}

beforeAll(async () => {
  url = (await sharedWorker()).origin
  token = await signToken({ tenant: `t-${crypto.randomUUID()}`, sub: 'alice' })
  const { exitCode, stdout, stderr } = await runCliWith(
    { folder, env, input: `${token}\n` },
    'login',
    `${url}/`,
  )
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: `Signed in to ${url}.\n`,
    stderr: '',
  })
})

describe('signing in', () => {
  it('keeps the key where only its owner reads it', () => {
    const file = join(env.XDG_CONFIG_HOME, 'moonbucket/profiles.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      current: 'default',
      profiles: { default: { url, key: token } },
    })
    expect(readdirSync(join(env.XDG_CONFIG_HOME, 'moonbucket'))).toEqual(['profiles.json'])
  })

  it('is told by whoami', async () => {
    const stdout = `${url}, profile default, by a key: accepted\n`
    expect(await moonbucket('whoami')).toEqual({ exitCode: 0, stdout, stderr: '' })
    const known = { url, profile: 'default', how: 'key', accepted: true }
    expect(await json('whoami')).toEqual(known)
  })

  it('refuses a key that the service does not accept, and stores nothing', async () => {
    const other = { XDG_CONFIG_HOME: join(folder, 'other') }
    const ended = await runCliWith({ folder, env: other }, 'login', url, '--key', 'wrong')
    const stderr = 'moonbucket: the service does not accept this key; nothing was stored\n'
    expect(ended).toEqual({ exitCode: 2, stdout: '', stderr })
    const nobody = await runCliWith({ folder, env: other }, 'ls')
    expect(nobody.stderr).toBe('moonbucket: nobody is signed in; see moonbucket login --help\n')
  })

  it('has profiles, which can be forgotten', async () => {
    const own = { XDG_CONFIG_HOME: join(folder, 'own') }
    const call = (...args: string[]) => runCliWith({ folder, env: own, input: '' }, ...args)
    await call('login', url, '--key', token)
    await call('login', url, '--key', token, '--profile', 'work')
    expect((await call('whoami')).stdout).toContain('profile work')
    expect((await call('whoami', '--profile', 'default')).exitCode).toBe(0)
    expect((await call('logout')).stdout).toBe(`Forgot ${url}.\n`)
    expect((await call('whoami')).stdout).toContain('profile default')
    expect((await call('whoami', '--profile', 'work')).stderr).toContain('no profile work')
  })

  it('is not needed with a token in the environment', async () => {
    const given = { MOONBUCKET_URL: url, MOONBUCKET_TOKEN: token, XDG_CONFIG_HOME: '/nowhere' }
    const { stdout } = await runCliWith({ folder, env: given }, 'whoami')
    expect(stdout).toBe(`${url}, by MOONBUCKET_TOKEN: accepted\n`)
  })
})

describe('files', () => {
  it('go up, are listed, come down, and are deleted', async () => {
    writeFileSync(join(folder, 'rows.csv'), 'id\n1\n')
    expect((await moonbucket('put', 'rows.csv', 'data/rows.csv')).stdout).toBe(
      'data/rows.csv (5 B)\n',
    )
    const again = await moonbucket('put', 'rows.csv', 'data/rows.csv', '--new')
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('already exists')])
    const [entry] = await json<{ path: string; bytes: number }[]>('ls', 'data')
    expect([entry?.path, entry?.bytes]).toEqual(['data/rows.csv', 5])
    expect((await moonbucket('ls', '-r')).stdout).toMatch(/ 5 B {2}\S+ {2}data\/rows\.csv\n/)
    expect((await moonbucket('get', 'data/rows.csv', 'down.csv')).stdout).toBe('down.csv (5 B)\n')
    expect(readFileSync(join(folder, 'down.csv'), 'utf8')).toBe('id\n1\n')
    expect((await moonbucket('get', 'data/rows.csv', '-')).stdout).toBe('id\n1\n')
    expect((await moonbucket('rm', 'data/rows.csv')).stdout).toBe('data/rows.csv: 1 deleted\n')
    const { exitCode, stderr } = await moonbucket('get', 'data/rows.csv')
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^moonbucket: There is no file/)])
  })

  it('come from a pipe', async () => {
    const ended = await runCliWith({ folder, env, input: 'piped' }, 'put', '-', 'piped.txt')
    expect(ended).toEqual({ exitCode: 0, stdout: 'piped.txt (5 B)\n', stderr: '' })
    expect((await moonbucket('get', 'piped.txt', '-')).stdout).toBe('piped')
  })

  it('are deleted with their folder', async () => {
    for (const path of ['old/a.txt', 'old/deep/b.txt']) {
      await runCliWith({ folder, env, input: 'x' }, 'put', '-', path)
    }
    const { exitCode, stderr } = await moonbucket('rm', 'old')
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^moonbucket: /)])
    expect(await json('rm', '-r', 'old')).toMatchObject({ path: 'old', deleted: 2 })
    expect((await moonbucket('ls', '-r')).stdout).not.toContain('old/')
  })

  it('have links for people', async () => {
    await runCliWith({ folder, env, input: 'linked' }, 'put', '-', 'linked.txt')
    const { stdout } = await moonbucket('link', 'linked.txt', '--ttl', '60')
    expect(await (await fetch(stdout.trim())).text()).toBe('linked')
    const { method } = await json<{ method: string }>('link', 'in.txt', '--upload')
    expect(method).toBe('PUT')
    const upload = await moonbucket('link', 'in.txt', '--upload')
    const { ok } = await fetch(upload.stdout.trim(), { method, body: 'sent' })
    expect([ok, (await moonbucket('get', 'in.txt', '-')).stdout]).toEqual([true, 'sent'])
    expect((await moonbucket('link', 'linked.txt', '--ttl', 'long')).exitCode).toBe(2)
  })
})

describe('saved scripts and keys', () => {
  it('are listed and run', async () => {
    const script = '--- Adds one.\n---@param n integer What to.\nprint("adding") return args.n + 1'
    await runCliWith({ folder, env, input: script }, 'put', '-', 'scripts/add.lua')
    expect((await moonbucket('scripts')).stdout).toMatch(/^add +Adds one\.?\n$/)
    const ended = await moonbucket('scripts', 'add', '--args', '{"n": 1}')
    expect(ended).toEqual({ exitCode: 0, stdout: '2\n', stderr: 'adding\n' })
    const wrong = await moonbucket('scripts', 'add', '--args', '{}')
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringMatching(/^moonbucket: /)])
  })

  it('are made, used and revoked', async () => {
    const claims = { tenant: `t-${crypto.randomUUID()}`, scope: 'execute files:read admin' }
    const admin = { MOONBUCKET_URL: url, MOONBUCKET_TOKEN: await signToken(claims) }
    const call = (...args: string[]) => runCliWith({ folder, env: admin }, ...args)
    const made = await call('keys', 'create', '--name', 'k', '--scopes', 'execute,files:read')
    const key = made.stdout.trim()
    const used = { MOONBUCKET_URL: url, MOONBUCKET_TOKEN: key }
    expect((await runCliWith({ folder, env: used }, 'whoami')).exitCode).toBe(0)
    const listed = await call('keys')
    const [, id] = /^(\S+) {2}k +execute,files:read\n$/.exec(listed.stdout) ?? []
    expect(await call('keys', 'revoke', id!)).toEqual({
      exitCode: 0,
      stdout: `${id}: revoked\n`,
      stderr: '',
    })
    expect((await call('keys')).stdout).toBe('')
    expect((await call('keys', 'remove')).exitCode).toBe(2)
    expect((await moonbucket('keys')).stderr).toContain('admin')
  })
})

describe('runs', () => {
  it('print as those on this machine do', async () => {
    const script = writeScript(folder, 'print("hi") file.save("a.txt", "a") return {args.n}')
    const ended = await moonbucket('run', script, '--remote', '--args', '{"n": 1}')
    expect(ended).toEqual({ exitCode: 0, stdout: '[1]\n', stderr: 'hi\n' })
  })

  it('fail with the message of the script, and exit code 1', async () => {
    const script = writeScript(folder, 'error("no", 0)')
    const { exitCode, stdout, stderr } = await moonbucket('run', script, '--remote', '--json')
    expect([exitCode, stderr.split('\n')[0]]).toEqual([1, 'moonbucket: no'])
    expect(JSON.parse(stdout)).toMatchObject({ result: null, error: { message: 'no' } })
  })

  it('take lower limits', async () => {
    const script = writeScript(folder, 'while true do end')
    const { exitCode, stderr } = await moonbucket('run', script, '--remote', '--fuel', '1000')
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('fuel')])
  })

  it('store nothing with --plan, and tell what they would store', async () => {
    const script = writeScript(folder, 'file.save("planned.txt", "new\\n") return 1')
    const planned = ['run', script, '--remote', '--plan']
    const { exitCode, stdout, stderr } = await moonbucket(...planned)
    expect([exitCode, stdout]).toEqual([0, '1\n'])
    expect(stderr).toMatch(/^would write planned\.txt \(4 bytes\)\n\n[^]*\n\+new\n$/)
    const { plan } = await json<{ plan: object }>(...planned)
    expect(plan).toMatchObject({ complete: true, files: [{ name: 'planned.txt', bytes: 4 }] })
    expect((await moonbucket('get', 'planned.txt')).exitCode).toBe(1)
    const background = await moonbucket(...planned, '--background')
    expect([background.exitCode, background.stderr]).toEqual([
      2,
      'moonbucket: --plan cannot be used in the background\n',
    ])
  })

  it('go on in the background, are listed and followed', async () => {
    const script = writeScript(folder, 'print("one") print("two") return 2')
    const { stdout } = await moonbucket('run', script, '--remote', '--background')
    const id = stdout.trim()
    const followed = await moonbucket('logs', '-f', id)
    expect(followed).toEqual({ exitCode: 0, stdout: '2\n', stderr: 'one\ntwo\n' })
    expect((await moonbucket('logs', id)).stdout).toBe('one\ntwo\n')
    expect(await json('logs', id)).toEqual(['one', 'two'])
    expect((await moonbucket('runs')).stdout).toContain(`${id}  succeeded`)
    const failed = await json<unknown[]>('runs', '--status', 'lost', '--limit', '5')
    expect(failed).toEqual([])
    expect((await moonbucket('runs', '--status', 'done')).exitCode).toBe(2)
  })

  it('are cancelled', async () => {
    const script = writeScript(folder, 'while true do end')
    const { id } = await json<{ id: string }>('run', script, '--remote', '--background')
    const cancelled = await moonbucket('cancel', id)
    // It is told to end; on a busy machine that takes longer than the service waits.
    expect(cancelled.stdout).toMatch(new RegExp(`^${id}: (?:cancelled|running)\n$`))
    const { exitCode, stderr } = await moonbucket('logs', '-f', id)
    // `is` if it had not begun, `was` if it had.
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/^moonbucket: the run (?:is|was) cancelled\n/),
    ])
    expect(await json('cancel', id)).toMatchObject({ id, status: 'cancelled' })
  })

  it('stop with Ctrl-C', async () => {
    const script = writeScript(folder, 'print("ready") while true do end')
    const signals = new EventEmitter()
    const ended = await runCliWith(
      { folder, env, signals, onError: () => signals.emit('SIGINT', 'SIGINT') },
      'run',
      script,
      '--remote',
    )
    expect(ended).toEqual({
      exitCode: 130,
      stdout: '',
      stderr: 'ready\nmoonbucket: stopped by SIGINT\n',
    })
  })
})

it('never prints a token', () => {
  expect(printed.length).toBeGreaterThan(20)
  expect(printed.filter((text) => text.includes(token))).toEqual([])
})

it('are all in this file', () => {
  const names = [...remoteSummary().matchAll(/^ {2}moonbucket (\w+)/gm)].map(([, name]) => name!)
  expect([...called].sort()).toEqual([...names, 'run'].sort())
})
