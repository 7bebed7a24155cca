/** `npm run dev` as a process of the tests, away from the developer's own files. */
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../../infra/root.ts'

export interface DevServer {
  readonly pid: number
  /** As it was printed. */
  readonly curl: string
}

/** Waits for the command it prints; the id is npm's, and that of a process group of its own. */
export async function startDev(
  port: number,
  folder: string,
  { script = 'dev', root = ROOT } = {},
): Promise<DevServer> {
  const files = ['--persist-to', join(folder, 'state'), '--vars', varsFile(folder)]
  const child = spawn('npm', ['run', script, '--', '--port', String(port), ...files], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk)
    const curl = /^ *(curl .*)\n/m.exec(printed)?.[1]
    if (curl === undefined) continue
    child.stdout.resume()
    return { pid: child.pid!, curl }
  }
  throw new Error(`npm run ${script} ended early: ${printed}`)
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
