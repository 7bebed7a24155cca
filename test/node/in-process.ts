/** Starts a new Node process on a TypeScript file of this folder. */
import { spawn } from 'node:child_process'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** What the process printed as JSON, and how it ended. */
export async function inProcess<T>(
  file: string,
  { script, args, flags = [] }: { script: string; args: readonly number[]; flags?: string[] },
): Promise<{ readonly exitCode: number | null; readonly printed: T }> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const stdio = ['pipe', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, [...flags, path, ...args.map(String)], {
    stdio: [...stdio],
  })
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  child.stdin!.end(script)
  const printed = (await json(child.stdout!)) as T
  return { exitCode: await exit, printed }
}
