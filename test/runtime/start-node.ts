/** Starts the Node server as it is deployed: bundled, in a process of its own, with a local store that speaks S3. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { bundle } from '../../infra/build/bundles/bundle.ts'
import type { LogEvent } from '../../src/operations/log-event.ts'
import { startLocalS3, type LocalS3 } from '../support/local-s3.ts'

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
 * Settings that name no store get one of their own, which stops with the server.
 *
 * @throws with what the process said, when it does not start.
 */
export async function startNode(vars: Vars): Promise<StartedNode> {
  if (vars.S3_ENDPOINT !== undefined) return startProcess(vars)
  const s3 = await startLocalS3()
  try {
    const node = await startProcess({ ...storeVars(s3), ...vars })
    const stop = async () => {
      try {
        await node.stop()
      } finally {
        await s3.stop()
      }
    }
    return { ...node, stop }
  } catch (error) {
    await s3.stop()
    throw error
  }
}

/** The settings of a server that keeps its files there. */
export function storeVars({ settings }: LocalS3): Vars {
  return {
    S3_ENDPOINT: settings.endpoint,
    S3_BUCKET: settings.bucket,
    S3_ACCESS_KEY_ID: settings.accessKeyId,
    S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
  }
}

/** The bundle as a process with these settings and no others; it may well end at once. */
export async function spawnNode(vars: Vars, cwd?: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [await bundled()], {
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

async function startProcess(vars: Vars): Promise<StartedNode> {
  return untilListening(await spawnNode(vars))
}

let made: Promise<string> | undefined

/** Once per process of the tests, in a folder that goes with it. */
function bundled(): Promise<string> {
  made ??= makeBundle()
  return made
}

async function makeBundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-node-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await bundle('node', folder)
  return join(folder, 'node.mjs')
}
