/** Starts the Node server as it is deployed: bundled, in a process of its own, with a local store that speaks S3. */
import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { LogEvent } from '../../src/operations/log-event.ts'
import { sharedS3 } from '../support/local-s3.ts'
import { SECRETS } from '../support/sign-token.ts'
import { bundled } from './bundled.ts'

/** They stop with the tests, however those end. */
const children = new Set<ChildProcess>()
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))

export type Vars = Readonly<Record<string, string>>

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly stderr: string
}

/** A server that answers requests. */
export interface StartedNode {
  readonly origin: string
  /** What it has logged so far. */
  readonly events: readonly LogEvent[]
  readonly process: ChildProcess
  readonly exit: Promise<Exit>
  stop(): Promise<void>
}

/**
 * @param folder Of another bundle than the one that is deployed.
 * @throws with what the process said, when it does not start.
 */
export async function startNode(vars: Vars = {}, folder?: string): Promise<StartedNode> {
  const { vars: store } = await sharedS3()
  return untilListening(await spawnNode({ ...SECRETS, ...store, ...vars }, undefined, folder))
}

/** The bundle as a process with these settings and no others; it may well end at once. */
export async function spawnNode(vars: Vars, cwd?: string, folder?: string): Promise<ChildProcess> {
  const program = join(folder ?? (await bundled('node')), 'node.mjs')
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, PORT: '0', ...vars },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  return child
}

/** Reads all that a process still says. */
export async function exitOf(child: ChildProcess): Promise<Exit> {
  const exited = new Promise<number | null>((done) => child.once('close', done))
  const [stderr, code] = await Promise.all([text(child.stderr!), exited])
  return { code, stderr }
}

/** Waits for the line that tells the address. */
export async function untilListening(child: ChildProcess): Promise<StartedNode> {
  const events: LogEvent[] = []
  const exit = exitOf(child)
  const listening = new Promise<string>((done) => {
    createInterface(child.stdout!).on('line', (line) => {
      if (!line.startsWith('{"event":')) return
      const event = JSON.parse(line) as LogEvent | { event: 'listening'; address: string }
      if (event.event === 'listening') done(event.address)
      else events.push(event)
    })
  })
  const early = exit.then(({ code, stderr }) => {
    throw new Error(`the server ended early with ${code}: ${stderr}`)
  })
  const origin = await Promise.race([listening, early])
  early.catch(() => undefined)
  async function stop(): Promise<void> {
    child.kill('SIGKILL')
    await exit
  }
  return { origin, events, process: child, exit, stop }
}
