/** `npm run dev:lambda`: started by npm, used by what it prints, ended by a signal. */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freePort, processesOf, ROOT, untilGone, varsFile } from '../node/dev/dev-server.ts'

let folder: string
let groups: number[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'moonbucket-dev-lambda-'))
  groups = []
})

afterEach(() => {
  for (const group of groups) if (processesOf(group).length > 0) process.kill(-group, 'SIGKILL')
  rmSync(folder, { recursive: true })
})

/** Waits for the command it prints; the id is npm's, and that of a process group of its own. */
async function start(port: number): Promise<{ pid: number; curl: string }> {
  const files = ['--vars', varsFile(folder), '--persist-to', join(folder, 'state')]
  const args = ['run', 'dev:lambda', '--', '--port', String(port), ...files]
  const child = spawn('npm', args, {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  groups.push(child.pid!)
  return new Promise((done, fail) => {
    child.once('exit', (code) => fail(new Error(`npm run dev:lambda ended with ${code}`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const curl = line.trim()
      if (curl.startsWith('curl ')) done({ pid: child.pid!, curl })
    })
  })
}

it('prints a curl that stores a file, which still opens after a restart', async () => {
  const port = await freePort()
  const first = await start(port)
  const { stdout } = await promisify(execFile)('sh', ['-c', first.curl], { cwd: ROOT })
  const { files_touched: rows, ...answer } = JSON.parse(stdout)
  expect(answer).toEqual({ result: { answer: 42 }, logs: ['wrote a file'] })
  const link: string = rows[0].link
  expect(link).toContain(`http://127.0.0.1:${port}/files/out?`)
  expect(await (await fetch(link)).text()).toBe('Hello from Lua\n')

  const origin = `http://127.0.0.1:${port}`
  const asked = await fetch(`${origin}/local-token.json`, { headers: { Origin: origin } })
  expect(await asked.json()).toEqual({ token: expect.stringMatching(/^eyJ/) })

  // As Ctrl-C does it.
  process.kill(-first.pid, 'SIGINT')
  await untilGone(first.pid)

  const second = await start(port)
  expect(await (await fetch(link)).text()).toBe('Hello from Lua\n')
  // npm ends alone: the rest has to notice.
  process.kill(second.pid, 'SIGTERM')
  await untilGone(second.pid)
})

it.each([
  [['--prot', '80'], "Unknown option '--prot'; --help lists the options"],
  [['--var', 'FUEL=much'], 'FUEL: must be a whole number above 0'],
])('refuses %j with one line', async (args, line) => {
  const words = [join(ROOT, 'infra/dev/dev-lambda.ts'), '--vars', varsFile(folder), ...args]
  const failed = promisify(execFile)(process.execPath, words)
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: `dev:lambda: ${line}\n` })
})
