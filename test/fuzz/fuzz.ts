/**
 * The long fuzz run: `npm run fuzz -- [--runs N] [--seed S] [--only paths,programs] [--workers N] [--minutes M]`.
 *
 * Ends with 1 if anything failed; what failed is then in `dist/fuzz`, with the seed that shows it again.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Done, Piece } from './fuzz-worker.ts'
import { TARGETS } from './targets.ts'

const FAILURES = resolve(import.meta.dirname, '../../dist/fuzz')
const WORKER = resolve(import.meta.dirname, 'fuzz-worker.ts')
/** Small enough for progress to be seen, large enough for the processes not to wait for each other. */
const PIECES_PER_TARGET = 100
const MIN_PIECE = 50
const MAX_PIECE = 2_000
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
const names = options.only?.split(',') ?? Object.keys(TARGETS)
const unknown = names.find((name) => !(name in TARGETS))
if (unknown !== undefined) {
  console.error(`nothing is called ${unknown}: there are ${Object.keys(TARGETS).join(', ')}`)
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
/** Of every target in turn, so that a run that is cut short has tried something of all. */
const pieces: Piece[] = []
for (const name of names) {
  const wanted = Number(options.runs ?? TARGETS[name]!.longRuns)
  tallies.set(name, { wanted, tried: 0, ms: 0, failures: 0 })
  // A single worker goes through one piece, as the test that failed did.
  const part = Math.min(MAX_PIECE, Math.max(MIN_PIECE, Math.ceil(wanted / PIECES_PER_TARGET)))
  const size = workers === 1 ? wanted : part
  for (let tried = 0; tried < wanted; tried += size) {
    const pieceSeed = (seed + tried) % 2 ** 31
    pieces.push({ target: name, runs: Math.min(size, wanted - tried), seed: pieceSeed })
  }
}
const turn = ({ target, seed: own }: Piece) => ((own - seed) / tallies.get(target)!.wanted) % 1
pieces.sort((a, b) => turn(a) - turn(b))

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
  let child = startChild()
  for (let piece = next(); piece; piece = next()) {
    const done = await doneBy(child, piece)
    if (child.exitCode !== null || child.signalCode !== null) child = startChild()
    const tally = tallies.get(done.target)!
    tally.tried += done.runs
    tally.ms += done.ms
    if (done.failure !== undefined) report(done, ++tally.failures)
  }
  child.kill()
}

function next(): Piece | undefined {
  return Date.now() < endsAt ? pieces.shift() : undefined
}

function startChild(): ChildProcess {
  return fork(WORKER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

/** A process that ends by itself is the worst failure of all. */
function doneBy(child: ChildProcess, piece: Piece): Promise<Done> {
  return new Promise((settle) => {
    const died = (code: number | null, signal: string | null) =>
      settle({ ...piece, ms: 0, failure: `the process ended with ${code ?? signal}` })
    child.once('exit', died)
    child.once('message', (done: Done) => {
      child.off('exit', died)
      settle(done)
    })
    child.send(piece)
  })
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
