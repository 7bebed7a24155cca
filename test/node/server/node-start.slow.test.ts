/** The server as the commands of this repository start it: from source by npm, and from the bundle they build. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { untilListening, type StartedNode } from '../../runtime/start-node.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { SECRETS } from '../../support/sign-token.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { processesOf, untilGone } from '../dev/dev-server.ts'
import { ROOT } from '../../../infra/root.ts'
import { clientOf } from './node-client.ts'

const WRITING = `print("on") local n = 0 for i = 1, 100000000 do n = n + 1 end
  io.open("after", "w"):write("text"):close() return n`

const s3 = await sharedS3()
let started: ChildProcess[] = []

afterEach(() => {
  for (const { pid } of started) if (processesOf(pid!).length > 0) process.kill(-pid!, 'SIGKILL')
  started = []
})

/** In a process group of its own, whose id is that of the command. */
async function start(command: string, ...args: string[]): Promise<StartedNode> {
  const child = spawn(command, args, {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, PORT: '0', ...SECRETS, ...s3.vars },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  return untilListening(child)
}

describe('npm start', () => {
  it.each([
    ['SIGTERM to npm', 1, 'SIGTERM'],
    ['SIGINT to npm', 1, 'SIGINT'],
    ['Ctrl-C', -1, 'SIGINT'],
  ] as const)('after %s finishes what was begun', async (_, sign, signal) => {
    const node = await start('npm', 'start', '--silent')
    const run = await clientOf(node).start(WRITING)
    process.kill(sign * node.process.pid!, signal)
    const { result, files_touched } = await run.answer()
    expect(result).toBe(100_000_000)
    expect(await node.exit).toEqual({ code: 0, stderr: '' })
    expect(await (await fetchAnew(files_touched[0]!.url!)).text()).toBe('text')
    expect(processesOf(node.process.pid!)).toEqual([])
  })

  it('ends when npm is killed', async () => {
    const node = await start('npm', 'start', '--silent')
    const run = await clientOf(node).start(WRITING)
    node.process.kill('SIGKILL')
    expect(await run.answer()).toMatchObject({ result: 100_000_000 })
    await untilGone(node.process.pid!)
  })
})

it('npm run build:node makes a folder that needs nothing beside it', async () => {
  execFileSync('npm', ['run', '-s', 'build:node'], { cwd: ROOT, stdio: 'ignore' })
  const folder = tempFolder()
  cpSync(resolve(ROOT, 'dist/node'), folder, { recursive: true })
  const node = await start(process.execPath, join(folder, 'node.mjs'))
  const { run } = clientOf(node, 'bundled')
  expect(await run('file.save("a", "1") return io.list()')).toMatchObject({ result: ['a'] })
  node.process.kill('SIGTERM')
  expect(await node.exit).toEqual({ code: 0, stderr: '' })
})
