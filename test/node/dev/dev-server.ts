/** Commands that go on, such as `npm run dev`, as processes of the tests. */
import { execFileSync, spawn, type SpawnOptions } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../../infra/root.ts'

/** A command under way, in a process group of its own, whose id is that of its first process. */
export interface Running {
  readonly pid: number
  /** What it has printed so far, on both streams. */
  printed(): string
}

export interface DevServer extends Running {
  /** As it was printed. */
  readonly curl: string
}

/** Waits for the command it prints; the id is npm's. */
export async function startDev(
  port: number,
  folder: string,
  { script = 'dev', root = ROOT } = {},
): Promise<DevServer> {
  const files = ['--persist-to', join(folder, 'state'), '--vars', varsFile(folder)]
  const npm = ['npm', 'run', script, '--', '--port', String(port), ...files]
  const { found, ...running } = await startUntil(PRINTED_CURL, npm, { cwd: root })
  return { ...running, curl: found }
}

/** In the greeting of the dev commands. */
export const PRINTED_CURL = /^ *(curl .*)\n/m

/** Waits until a line matches. @throws with all it printed, if it ends before. */
export async function startUntil(
  wanted: RegExp,
  [command, ...args]: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'>,
): Promise<Running & { found: string }> {
  const child = spawn(command!, args, {
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const found = await new Promise<string>((done, fail) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += String(chunk)
        const match = wanted.exec(printed)
        if (match) done(match[1] ?? match[0])
      })
    }
    child.on('error', fail)
    child.on('close', () => fail(new Error(`${[command, ...args].join(' ')} ended: ${printed}`)))
  })
  return { pid: child.pid!, printed: () => printed, found }
}

/** As Ctrl-C does it. */
export async function interrupt({ pid }: Pick<Running, 'pid'>): Promise<void> {
  process.kill(-pid, 'SIGINT')
  await untilGone(pid)
}

/** Its settings: never the developer's own. */
export function varsFile(folder: string): string {
  return join(folder, 'dev.vars')
}

export async function untilGone(group: number): Promise<void> {
  while (processesOf(group).length > 0) await sleep(50)
}

/** The commands of a process group; those that only wait to be reaped do not count. */
export function processesOf(group: number): string[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pgid=,stat=,args='], { encoding: 'utf8' })
  return lines
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null && Number(match[1]) === group && !match[2]!.startsWith('Z'))
    .map((match) => match![3]!)
}
