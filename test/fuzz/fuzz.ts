/**
 * The long fuzz run: `npm run fuzz -- [--runs N] [--seed S] [--only paths,programs] [--workers N] [--minutes M]`.
 *
 * Ends with 1 if anything failed; what failed is then in `dist/fuzz`, with the seed that shows it again.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { FuzzChild } from './fuzz-child.ts'
import type { Done, Piece } from './fuzz-worker.ts'
import { loadTarget, TARGET_NAMES } from './targets.ts'

const FAILURES = resolve(import.meta.dirname, '../../dist/fuzz')
/** The most turns of a target: each one starts a process, which is slow at first. */
const TURNS = 10
const MIN_TURN = 5_000
/** Small enough for progress to be seen, large enough for the processes not to wait for each other. */
const PIECES_PER_TURN = 10
const MIN_PIECE = 50
const PROGRESS_MS = 5_000

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    workers: { type: 'string' },
    minutes: { type: 'string' },
  },
})
const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31))
const names = options.only?.split(',') ?? TARGET_NAMES
const unknown = names.find((name) => !TARGET_NAMES.includes(name))
if (unknown !== undefined) {
  console.error(`nothing is called ${unknown}: there are ${TARGET_NAMES.join(', ')}`)
  process.exit(2)
}
const workers = Number(options.workers ?? availableParallelism())
const endsAt = Date.now() + Number(options.minutes ?? Infinity) * 60_000

interface Tally {
  wanted: number
  tried: number
  ms: number
  failures: number
}

const tallies = new Map<string, Tally>()
const pieces: (Piece & { readonly turn: number })[] = []
for (const name of names) {
  const wanted = Number(options.runs ?? (await loadTarget(name)).longRuns)
  tallies.set(name, { wanted, tried: 0, ms: 0, failures: 0 })
  const perTurn = Math.max(MIN_TURN, Math.ceil(wanted / TURNS))
  const part = Math.max(MIN_PIECE, Math.ceil(Math.min(perTurn, wanted) / PIECES_PER_TURN))
  // A single worker goes through one piece, as the test that failed did.
  const size = workers === 1 ? wanted : part
  for (let tried = 0; tried < wanted; tried += size) {
    const turn = Math.floor(tried / perTurn)
    const runs = Math.min(size, wanted - tried)
    pieces.push({ target: name, runs, seed: (seed + tried) % 2 ** 31, turn })
  }
}
// Every target in turn, so that a run that is cut short has tried something of all.
pieces.sort((a, b) => a.turn - b.turn)

console.info(`seed ${seed}, ${workers} processes`)
const start = Date.now()
const progress = setInterval(() => console.info(line()), PROGRESS_MS)
await Promise.all(Array.from({ length: workers }, work))
clearInterval(progress)

console.table(
  Object.fromEntries(
    [...tallies].map(([name, { wanted, tried, ms, failures }]) => [
      name,
      {
        tried,
        wanted,
        seconds: Math.round(ms / 1000),
        'per second and process': Math.round((tried / ms) * 1000) || 0,
        failures,
      },
    ]),
  ),
)
console.info(`${Math.round((Date.now() - start) / 1000)} s in all`)
process.exitCode = [...tallies.values()].some(({ failures }) => failures > 0) ? 1 : 0

async function work(): Promise<void> {
  // A single worker is there to show a failure again.
  const child = new FuzzChild({ hasStackTraces: workers === 1 })
  for (let piece = next(); piece; piece = next()) {
    const done = await child.tryOut(piece)
    const tally = tallies.get(done.target)!
    tally.tried += done.runs
    tally.ms += done.ms
    if (done.failure !== undefined) report(done, ++tally.failures)
  }
  child.stop()
}

function next(): Piece | undefined {
  return Date.now() < endsAt ? pieces.shift() : undefined
}

function report({ target, runs, seed: own, failure }: Done, count: number): void {
  const again = `npm run fuzz -- --only ${target} --seed ${own} --runs ${runs} --workers 1`
  const file = resolve(FAILURES, `${target}-${own}.txt`)
  mkdirSync(FAILURES, { recursive: true })
  writeFileSync(file, `${again}\n\n${failure}\n`)
  console.error(`FAILED (${count}): ${target}, see ${file}\n${failure!.slice(0, 2_000)}`)
}

function line(): string {
  const parts = [...tallies].map(([name, { tried, wanted }]) => {
    return `${name} ${Math.floor((tried / wanted) * 100)} %`
  })
  return `${Math.round((Date.now() - start) / 1000)} s: ${parts.join(', ')}`
}
