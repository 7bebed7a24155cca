/** `moonbucket` in a folder of its own: as a process, or in this one in a tenth of the time. */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ROOT } from '../../../infra/root.ts'
import { runCommand } from '../../../src/cli/command.ts'

export const CLI = resolve(ROOT, 'src/entry/cli.ts')

/** What a process that has ended left behind. */
export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A process with its ends in hand. */
export interface Started {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly ended: Promise<Ended>
  /** Resolves when the text has appeared. */
  until(stream: 'stdout' | 'stderr', wanted: string): Promise<void>
}

/** Writes a script to run by its name. */
export function writeScript(folder: string, script: string): string {
  writeFileSync(join(folder, 'script.lua'), script)
  return 'script.lua'
}

export function start(folder: string, command: string, args: readonly string[]): Started {
  const child = spawn(command, args, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] })
  // It may end without having read anything.
  child.stdin.on('error', () => undefined)
  const [stdout, stderr, exited] = [text(child.stdout), text(child.stderr), once(child, 'exit')]
  return {
    child,
    ended: Promise.all([stdout, stderr, exited]).then(([out, err, [exitCode]]) => ({
      exitCode: exitCode as number | null,
      stdout: out,
      stderr: err,
    })),
    until: (stream, wanted) =>
      new Promise((done, fail) => {
        let printed = ''
        child[stream].on('data', (chunk) => {
          printed += String(chunk)
          if (printed.includes(wanted)) done()
        })
        child[stream].on('end', () => fail(new Error(`ended without ${wanted}: ${printed}`)))
      }),
  }
}

export function startCli(folder: string, ...args: string[]): Started {
  return start(folder, process.execPath, [CLI, ...args])
}

/** For commands in this process. */
export const WITHOUT_APIS = {
  env: {},
  compileApis: () => Promise.reject(new Error('the test describes no API')),
}

/** In this process, with nothing on its standard input. */
export function runCli(folder: string, ...args: string[]): Promise<Ended> {
  return runCliWith({ folder }, ...args)
}

interface Surroundings {
  readonly folder: string
  readonly env?: NodeJS.Dict<string>
  /** What is piped into it. */
  readonly input?: string
  /** Called with what it prints on standard error. */
  readonly onError?: (text: string) => void
  readonly signals?: EventEmitter
}

/** In this process. */
export async function runCliWith(
  { folder, env = {}, input = '', onError, signals = new EventEmitter() }: Surroundings,
  ...args: string[]
): Promise<Ended> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stdin.end(input)
  if (onError) stderr.on('data', (chunk) => onError(String(chunk)))
  const printed = Promise.all([text(stdout), text(stderr)])
  const exitCode = await runCommand(args, {
    ...WITHOUT_APIS,
    env,
    folder,
    stdin,
    stdout,
    stderr,
    signals,
  })
  for (const stream of [stdout, stderr]) stream.end()
  const [out, err] = await printed
  return { exitCode, stdout: out, stderr: err }
}
