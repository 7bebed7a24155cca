/** `npm run dev` as a newcomer meets it: started by npm, used by what it prints, ended by a signal. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

interface Answer {
  readonly files_touched: readonly { readonly url: string; readonly link: string }[]
}

const ROOT = resolve(import.meta.dirname, '../..')

let folder: string
let started: ChildProcess[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'moonbucket-dev-'))
  started = []
})

afterEach(() => {
  for (const { pid } of started) if (processesOf(pid!).length > 0) process.kill(-pid!, 'SIGKILL')
  rmSync(folder, { recursive: true })
})

describe('npm run dev', () => {
  it('prints a curl that stores a file, which still opens after a restart', async () => {
    const port = await freePort()
    const first = await startDev(port)
    const { stdout } = await promisify(execFile)('sh', ['-c', first.curl], { cwd: ROOT })
    const answer = JSON.parse(stdout) as Answer
    expect(answer).toEqual({
      result: { answer: 42 },
      logs: ['wrote a file'],
      files_touched: [
        {
          name: 'output/hello.txt',
          op: 'write',
          bytes: 15,
          url: expect.stringContaining(`http://127.0.0.1:${port}/cdn-cgi/local/r2/s3/`),
          url_expires_at: expect.any(String),
          link: expect.stringContaining(`http://127.0.0.1:${port}/files/out?`),
          expires_at: expect.any(String),
        },
      ],
    })
    const [file] = answer.files_touched
    const opened = ['Hello from Lua\n', 'Hello from Lua\n']
    expect(await Promise.all([read(file!.url), read(file!.link)])).toEqual(opened)

    // As Ctrl-C does it.
    process.kill(-first.pid, 'SIGINT')
    await untilGone(first.pid)

    const second = await startDev(port)
    expect(await Promise.all([read(file!.url), read(file!.link)])).toEqual(opened)

    // npm ends alone: the rest has to notice.
    process.kill(second.pid, 'SIGTERM')
    await untilGone(second.pid)
  })

  it('says that a port is taken', async () => {
    const { port, server } = await listen()
    expect(await devFails('--port', String(port))).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `dev: port ${port} is in use; choose another with --port\n`,
    })
    server.close()
  })

  it.each([
    [['--prot', '80'], "Unknown option '--prot'; --help lists the options"],
    [['8787'], "Unexpected argument '8787'; --help lists the options"],
    [['--port', '70000'], '--port must be a number from 0 to 65535, not "70000"'],
    [['--port', '-1'], '--port must be a number from 0 to 65535, not "-1"'],
    [['--var', 'FUEL'], '--var must be NAME=VALUE, not "FUEL"'],
    [['--var', 'FUEL=much'], 'FUEL: must be a whole number above 0'],
    [['--log-level=x'], '--log-level must be one of debug, log, info, warn, error, none'],
  ])('refuses %j with one line', async (args, line) => {
    expect(await devFails(...args)).toEqual({ exitCode: 1, stdout: '', stderr: `dev: ${line}\n` })
  })
})

/** Waits for the command it prints; the id is npm's, and that of a process group of its own. */
async function startDev(port: number): Promise<{ pid: number; curl: string }> {
  const args = ['--port', String(port), '--persist-to', join(folder, 'state'), '--vars', varsFile()]
  const child = spawn('npm', ['run', 'dev', '--', ...args], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
  let printed = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk)
    const curl = /^ *(curl .*)\n/m.exec(printed)?.[1]
    if (curl === undefined) continue
    child.stdout.resume()
    expect(processesOf(child.pid!)).toContainEqual(expect.stringContaining('workerd'))
    return { pid: child.pid!, curl }
  }
  throw new Error(`npm run dev ended early: ${printed}`)
}

function devFails(...args: string[]) {
  const words = [join(ROOT, 'infra/dev.ts'), '--vars', varsFile(), ...args]
  return new Promise<{ exitCode: number | null; stdout: string; stderr: string }>((done) => {
    const child = execFile(process.execPath, words, (_error, stdout, stderr) => {
      done({ exitCode: child.exitCode, stdout, stderr })
    })
  })
}

/** Never the developer's own. */
function varsFile(): string {
  return join(folder, 'dev.vars')
}

async function read(url: string): Promise<string> {
  const response = await fetch(url)
  return response.ok ? response.text() : `${response.status} ${await response.text()}`
}

async function untilGone(group: number): Promise<void> {
  while (processesOf(group).length > 0) await sleep(50)
}

/** The commands of a process group; those that only wait to be reaped do not count. */
function processesOf(group: number): string[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pgid=,stat=,args='], { encoding: 'utf8' })
  return lines
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null && Number(match[1]) === group && !match[2]!.startsWith('Z'))
    .map((match) => match![3]!)
}

async function listen(): Promise<{ port: number; server: Server }> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { port: (server.address() as AddressInfo).port, server }
}

async function freePort(): Promise<number> {
  const { port, server } = await listen()
  await new Promise((done) => server.close(done))
  return port
}
