/** What processes hold, as the system sees it. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

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
  const status = `/proc/${pid}/status`
  if (existsSync(status)) {
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(status, 'utf8')) ?? []
    if (kilobytes !== undefined) return Number(kilobytes) * 1024
  }
  const found = processes().find((one) => one.pid === pid)
  if (!found) throw new Error('the process has gone')
  return found.kilobytes * 1024
}

/** Goes on until it is ended. */
export function watchProcess(pid: number, pauseMs: number) {
  let most = residentBytes(pid)
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      most = Math.max(most, residentBytes(pid))
      await sleep(pauseMs)
    }
  })()
  return {
    now: async () => residentBytes(pid),
    /** The most bytes since the start. */
    async end(): Promise<number> {
      over.abort()
      await watching
      return most
    },
  }
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
