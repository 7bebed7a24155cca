/** `npm run dev` and `npm run dev:lambda`: start, the commands they print, and stop by a signal. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { freePort, listen } from '../../support/listen.ts'
import type { Answer } from '../../support/make-app.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import {
  interrupt,
  processesOf,
  startDev,
  untilGone,
  varsFile,
  type DevServer,
} from './dev-server.ts'

let folder: string

beforeEach(() => {
  folder = tempFolder()
})

describe.each(['dev', 'dev:lambda'])('npm run %s', (script) => {
  it('prints a curl that stores a file, which still opens after a restart', async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const first = await start(port, script)
    const { stdout } = await promisify(execFile)('sh', ['-c', first.curl], { cwd: ROOT })
    const { files_touched: rows, ...answer } = JSON.parse(stdout) as Answer
    expect(answer).toEqual({ result: { answer: 42 }, logs: ['wrote a file'] })
    expect(rows).toMatchObject([{ name: 'output/hello.txt', op: 'write', bytes: 15 }])
    const { url, link } = rows[0]!
    expect(link).toContain(`${origin}/files/out?`)
    // The bucket of `dev` is at the same address, that of the function in another process.
    const addresses = script === 'dev' ? [url!, link!] : [link!]
    const opened = addresses.map(() => 'Hello from Lua\n')
    expect(await Promise.all(addresses.map(read))).toEqual(opened)

    const asked = await fetch(`${origin}/local-token.json`, { headers: { Origin: origin } })
    const { token } = (await asked.json()) as { token: string }
    expect(token).toMatch(/^eyJ/)
    expect(await runInBackground(origin, token)).toMatchObject({
      status: 'succeeded',
      answer: { result: 'Hello from Lua' },
    })

    await interrupt(first)

    const second = await start(port, script)
    expect(await Promise.all(addresses.map(read))).toEqual(opened)

    // npm ends alone: the rest has to notice.
    process.kill(second.pid, 'SIGTERM')
    await untilGone(second.pid)
  })

  it.each([
    [['--prot', '80'], "Unknown option '--prot'; --help lists the options"],
    [['--var', 'FUEL=much'], 'FUEL: must be a whole number above 0'],
    [
      ['--var', 'WEBHOOK_HOSTS=a.example'],
      'WEBHOOK_SECRET: is required with WEBHOOK_HOSTS; set it in FILE',
    ],
  ])('refuses %j with one line', async (args, line) => {
    const file = `infra/dev/${script.replace(':', '-')}.ts`
    const stderr = `${script}: ${line.replace('FILE', varsFile(folder))}\n`
    expect(await devFails(file, ...args)).toEqual({ exitCode: 1, stdout: '', stderr })
  })
})

describe('npm run dev', () => {
  it('has a token for its own pages, and for nobody else’s', async () => {
    const port = await freePort()
    const server = await start(port, 'dev')
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
    await interrupt(server)
    expect(existsSync(join(ROOT, `.wrangler/site-${port}`))).toBe(false)
  })

  it('says that a port is taken', async () => {
    const { port, stop } = await listen(createServer())
    expect(await devFails('infra/dev/dev.ts', '--port', String(port))).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `dev: port ${port} is in use; choose another with --port\n`,
    })
    await stop()
  })

  it.each([
    [['8787'], "Unexpected argument '8787'; --help lists the options"],
    [['--port', '70000'], '--port must be a number from 0 to 65535, not "70000"'],
    [['--port', '-1'], '--port must be a number from 0 to 65535, not "-1"'],
    [['--var', 'FUEL'], '--var must be NAME=VALUE, not "FUEL"'],
    [['--log-level=x'], '--log-level must be one of debug, log, info, warn, error, none'],
  ])('refuses %j with one line', async (args, line) => {
    const stderr = `dev: ${line}\n`
    expect(await devFails('infra/dev/dev.ts', ...args)).toEqual({ exitCode: 1, stdout: '', stderr })
  })
})

async function runInBackground(origin: string, token: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}` }
  const script = 'return io.open("output/hello.txt"):read()'
  const body = JSON.stringify({ script, background: true })
  const started = await fetch(`${origin}/execute`, { method: 'POST', headers, body })
  const address = new URL(started.headers.get('Location') ?? '', origin)
  return (await fetch(`${address.href}?wait=30`, { headers })).json()
}

function devFails(file: string, ...args: string[]) {
  const words = [join(ROOT, file), '--vars', varsFile(folder), ...args]
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

async function start(port: number, script: string): Promise<DevServer> {
  const server = await startDev(port, folder, { script })
  onTestFinished(() => {
    if (processesOf(server.pid).length > 0) process.kill(-server.pid, 'SIGKILL')
  })
  expect(processesOf(server.pid)).toContainEqual(expect.stringContaining('workerd'))
  return server
}
