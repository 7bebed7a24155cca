/** Starts a program in a process of its own, and waits for the line that it prints. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface StartedProgram {
  readonly pid: number
  readonly line: string
  stop(): void
}

/** Stops with this process. @throws if it ends without a line. */
export async function startProgram(
  path: string,
  args: readonly string[],
  vars: Readonly<Record<string, string>> = {},
): Promise<StartedProgram> {
  const child = spawn(process.execPath, [path, ...args], {
    env: { ...process.env, ...vars },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = () => void child.kill('SIGKILL')
  process.once('exit', stop)
  const lines = createInterface(child.stdout)
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?]
  if (line === undefined) throw new Error(`${path} ended early`)
  return { pid: child.pid!, line, stop }
}
