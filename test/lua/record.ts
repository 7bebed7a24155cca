/** Records what native Lua 5.4 prints per case: `cases/<topic>.json`, the truth for our VM. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LuaCase, parseCases } from './parse-cases.ts'

const LUA = 'lua5.4'
const CASES = join(import.meta.dirname, 'cases')
const MAX_RUN_MS = 20_000

/** Texts hold one character per byte (latin1): scripts print bytes, not UTF-8. */
interface Recorded {
  output: string
  error?: string
}

/** Runs in an empty folder, under the name `script`, so that messages read `script:<line>:`. */
function runNative(script: string): Recorded {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-lua-'))
  try {
    writeFileSync(join(folder, 'script'), script)
    const run = spawnSync(LUA, ['script'], {
      cwd: folder,
      env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' },
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: MAX_RUN_MS,
      maxBuffer: 64 * 1024 * 1024,
    })
    if (run.error) throw run.error
    if (run.status === null) throw new Error(`killed by ${run.signal}`)
    if (run.status !== 0) return { output: run.stdout, error: messageOf(run.stderr) }
    if (run.stderr !== '') throw new Error(`writes to stderr: ${run.stderr.trim()}`)
    return { output: run.stdout }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the interpreter printed, without its own name and without the traceback. */
function messageOf(stderr: string): string {
  const end = stderr.lastIndexOf('\nstack traceback:\n')
  return stderr.slice(`${LUA}: `.length, end === -1 ? -'\n'.length : end)
}

/** @throws when two runs differ: such a case could never be compared. */
function recordCase({ script }: LuaCase): Recorded {
  const first = runNative(script)
  const second = runNative(script)
  if (first.output !== second.output || first.error !== second.error) {
    throw new Error('two runs gave different output')
  }
  return first
}

/** Writes the topic's results, or nothing when a case is refused; gives the reasons. */
function recordTopic(topic: string, cases: LuaCase[]): string[] {
  const recorded: Record<string, Recorded> = {}
  const refused: string[] = []
  for (const luaCase of cases) {
    try {
      recorded[luaCase.name] = recordCase(luaCase)
    } catch (error) {
      refused.push(`${topic}: ${luaCase.name}: ${reasonOf(error)}`)
    }
  }
  if (refused.length === 0) writeFileSync(join(CASES, `${topic}.json`), toAsciiJson(recorded))
  return refused
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Escapes what JSON allows but editors mangle: control characters and the upper half of latin1. */
function toAsciiJson(value: unknown): string {
  const escape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `${JSON.stringify(value, null, 2).replace(/[\x7f-\uffff]/g, escape)}\n`
}

function recordAll(): string {
  if (spawnSync(LUA, ['-v']).error) {
    throw new Error(`${LUA} is not installed: apt-get install lua5.4`)
  }
  const topics = readdirSync(CASES)
    .filter((file) => file.endsWith('.lua'))
    .map((file) => file.slice(0, -'.lua'.length))
    .sort()
  let total = 0
  const refused: string[] = []
  for (const topic of topics) {
    const cases = parseCases(readFileSync(join(CASES, `${topic}.lua`), 'utf8'))
    total += cases.length
    refused.push(...recordTopic(topic, cases))
  }
  if (refused.length > 0) throw new Error(refused.join('\n'))
  return `${total} cases in ${topics.length} topics recorded`
}

try {
  console.log(recordAll())
} catch (error) {
  console.error(reasonOf(error))
  process.exitCode = 1
}
