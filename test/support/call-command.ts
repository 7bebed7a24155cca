/** Runs commands for the scripts of the tests. Node only. */
import { spawn } from 'node:child_process'

/** The exit code; the command ends with this process. */
export function callCommand(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  process.once('exit', () => child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
