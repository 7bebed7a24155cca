/** What the workerd processes of this one hold, as the system sees it. */
import { execFileSync } from 'node:child_process'

/** Finds the process id of the workerd that `start` starts. */
export async function withPid<Started extends object>(
  start: () => Promise<Started>,
): Promise<Started & { readonly pid: number }> {
  const before = workerdPids()
  const started = await start()
  const pid = workerdPids().find((one) => !before.includes(one))
  if (pid === undefined) throw new Error('workerd has not started')
  return { ...started, pid }
}

/** Those that this process started. */
function workerdPids(): number[] {
  return processes()
    .filter(({ parent, command }) => parent === process.pid && command.includes('workerd'))
    .map(({ pid }) => pid)
}

/** Resident bytes of one process. */
export function residentBytes(pid: number): number {
  const found = processes().find((one) => one.pid === pid)
  if (!found) throw new Error('workerd has gone')
  return found.kilobytes * 1024
}

function processes() {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,args='], { encoding: 'utf8' })
  return lines.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line)
    if (!match) return []
    const [pid, parent, kilobytes] = match.slice(1, 4).map(Number) as [number, number, number]
    return [{ pid, parent, kilobytes, command: match[4]! }]
  })
}
