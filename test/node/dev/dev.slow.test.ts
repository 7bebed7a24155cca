/** `npm run dev` as a newcomer meets it: started by npm, used by what it prints, ended by a signal. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  freePort,
  listen,
  processesOf,
  ROOT,
  startDev,
  untilGone,
  varsFile,
  type DevServer,
} from './dev-server.ts'

interface Answer {
  readonly files_touched: readonly { readonly url: string; readonly link: string }[]
}

let folder: string
let started: number[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'moonbucket-dev-'))
  started = []
})

afterEach(() => {
  for (const pid of started) if (processesOf(pid).length > 0) process.kill(-pid, 'SIGKILL')
  rmSync(folder, { recursive: true })
})

describe('npm run dev', () => {
  it('prints a curl that stores a file, which still opens after a restart', async () => {
    const port = await freePort()
    const first = await start(port)
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

    const second = await start(port)
    expect(await Promise.all([read(file!.url), read(file!.link)])).toEqual(opened)

    // npm ends alone: the rest has to notice.
    process.kill(second.pid, 'SIGTERM')
    await untilGone(second.pid)
  })

  it('has a token for its own pages, and for nobody else’s', async () => {
    const port = await freePort()
    const { pid } = await start(port)
    const origin = `http://127.0.0.1:${port}`
    const asked = await fetch(`${origin}/local-token.json`, { headers: { Origin: origin } })
    const { token } = (await asked.json()) as { token: string }
    const response = await fetch(`${origin}/execute`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ script: 'return io.list()' }),
    })
    expect([response.status, await response.json()]).toMatchObject([200, { result: {} }])

    expect(await statusOf(port, { Host: `evil.example:${port}` })).toBe(404)
    expect(await statusOf(port, { Origin: 'https://evil.example' })).toBe(404)
    process.kill(-pid, 'SIGINT')
    await untilGone(pid)
    expect(existsSync(join(ROOT, `.wrangler/site-${port}`))).toBe(false)
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

function devFails(...args: string[]) {
  const words = [join(ROOT, 'infra/dev/dev.ts'), '--vars', varsFile(folder), ...args]
  return new Promise<{ exitCode: number | null; stdout: string; stderr: string }>((done) => {
    const child = execFile(process.execPath, words, (_error, stdout, stderr) => {
      done({ exitCode: child.exitCode, stdout, stderr })
    })
  })
}

/** `fetch` would not let a test name another host. */
function statusOf(port: number, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((done, fail) => {
    get(`http://127.0.0.1:${port}/local-token.json`, { headers }, (response) => {
      response.resume()
      done(response.statusCode)
    }).on('error', fail)
  })
}

async function read(url: string): Promise<string> {
  const response = await fetch(url)
  return response.ok ? response.text() : `${response.status} ${await response.text()}`
}

async function start(port: number): Promise<DevServer> {
  const server = await startDev(port, folder)
  started.push(server.pid)
  expect(processesOf(server.pid)).toContainEqual(expect.stringContaining('workerd'))
  return server
}
