/** Processes that use a folder at the same time as the test. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** How the process ends, and the lines it printed until then. */
interface ChildEnd {
  readonly exitCode: number | null
  readonly lines: readonly string[]
}

/** Starts `folder-child.ts`; it ends with the test at the latest. */
export function startChild(...args: string[]) {
  return startProcess(
    process.execPath,
    fileURLToPath(new URL('folder-child.ts', import.meta.url)),
    ...args,
  )
}

/** Starts the same in a shell that first limits what it may do. */
export function startLimitedChild(limit: string, ...args: string[]) {
  const child = fileURLToPath(new URL('folder-child.ts', import.meta.url))
  const command = `${limit} && exec "$0" "$@"`
  return startProcess('/bin/sh', '-c', command, process.execPath, child, ...args)
}

function startProcess(program: string, ...args: string[]) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines: string[] = []
  const reader = createInterface(child.stdout)
  reader.on('line', (line) => void lines.push(line))
  const firstLine = new Promise<string>((resolve) => reader.once('line', resolve))
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('close', (exitCode) => resolve({ exitCode, lines }))
  })
  const kill = () => {
    child.kill('SIGKILL')
    return ended
  }
  onTestFinished(async () => void (await kill()))
  return {
    firstLine,
    ended,
    kill,
    /** Lets it begin: it prints a line when it is ready, and waits. */
    begin: () => child.stdin.end(),
  }
}
