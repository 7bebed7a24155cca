/** CPU time of a process, over all threads. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** `undefined` except on Linux, which alone reports it precisely enough. */
export function cpuMs(pid: number): number | undefined {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return undefined
  // The command may contain spaces; later fields do not.
  const fields = readFileSync(file, 'utf8').split(') ')[1]!.split(' ')
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  return ((user + system) * 1000) / ticksPerSecond()
}

let ticks: number | undefined

function ticksPerSecond(): number {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return ticks
}
