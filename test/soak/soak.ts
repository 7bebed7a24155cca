/** Loads the built services for a long time: `npm run soak -- --help`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Random } from '../support/random.ts'
import { isolateBytes } from './isolate-memory.ts'
import { soakLargeFiles } from './large/series.ts'
import { soakRuns } from './runs.ts'
import { startOnR2, startOnShakyS3, type SoakedService } from './start-services.ts'
import { soakZip } from './zip.ts'
import { Client, explanationOf, isRefusal, KINDS, PREPARE } from './work.ts'
import { residentBytes } from './process-memory.ts'

const HELP = `Loads the built services for a long time, and looks at what is stored and at the memory afterwards.
Ends with 1 if an outcome cannot be explained, a line of the shared log is lost or doubled, or the
Worker keeps memory; workerd as a whole is judged only where no bucket is inside of it.

  npm run soak                        everything below, in turn; 0 leaves a part out

  --runs N                            a mix of runs against the Workers (10,000)
  --store r2|s3                       of these, only on one store
  --seed S                            draw the same runs and kills again
  --large MIB                         files up to this size, written and dumped (1,024)
  --first MIB                         the smallest of them (256)
  --on r2,s3,ceph                     where (r2,s3)
  --kinds lines,dump                  how (both)
  --zip MIB                           a folder of this size as one ZIP (1,024)
  --kills N                           background runs, with this many kills on each engine (300)
`

/** The percentage of a service’s runs at each number of callers. */
const SHARES = [
  { callers: 1, share: 0.2 },
  { callers: 8, share: 0.4 },
  { callers: 64, share: 0.4 },
]
/** The local S3 manages about a hundred requests a second. */
const S3_SHARE = 0.3
/** Memory grows over the first thousand runs or more, and then no further: that is the level to come back to. */
const WARM_UP_RUNS = 1_800
/** What a process may keep: engines give memory back when they like. */
const PROCESS_MARGIN_BYTES = 96 * 1024 * 1024
/** What the Worker itself may keep: half a kilobyte for each run would be more. */
const ISOLATE_MARGIN_BYTES = 4 * 1024 * 1024
const MAX_IDLE_S = 90
const STABLE_S = 5
const STABLE_BYTES = 1024 * 1024
const PROGRESS_MS = 10_000

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string' },
    seed: { type: 'string' },
    store: { type: 'string' },
    large: { type: 'string', default: '1024' },
    kills: { type: 'string', default: '300' },
    zip: { type: 'string', default: '1024' },
    first: { type: 'string', default: '256' },
    on: { type: 'string', default: 'r2,s3' },
    kinds: { type: 'string', default: 'lines,dump' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (options.help) {
  console.info(HELP)
  process.exit()
}
const runs = Number(options.runs ?? 10_000)
const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31))
const names = Object.keys(KINDS)
const problems: string[] = []

interface Sample {
  readonly kind: string
  readonly callers: number
  readonly ms: number
  readonly outcome: string
  readonly n: number
}

console.info(`seed ${seed}`)
const isOnlyS3 = options.store === 's3'
if (!isOnlyS3 && runs > 0) await soak(await startOnR2(), runs * (options.store ? 1 : 1 - S3_SHARE))
if (options.store !== 'r2' && runs > 0)
  await soak(await startOnShakyS3(seed), runs * (isOnlyS3 ? 1 : S3_SHARE))
if (Number(options.large) > 0) {
  const series = {
    firstMib: Number(options.first),
    lastMib: Number(options.large),
    services: options.on.split(','),
    kinds: options.kinds.split(','),
  }
  problems.push(...(await soakLargeFiles(series)))
}
if (Number(options.zip) > 0) problems.push(...(await soakZip(Number(options.zip))))
if (Number(options.kills) > 0) problems.push(...(await soakRuns(Number(options.kills), seed)))
for (const problem of problems) console.error(`PROBLEM ${problem}`)
// The store of the tests would keep the process alive.
process.exit(problems.length > 0 ? 1 : 0)

async function soak(service: SoakedService, wanted: number): Promise<void> {
  console.info(`\n${service.name}: ${Math.round(wanted)} runs`)
  const client = new Client(service.origin)
  const random = new Random(seed)
  const samples: Sample[] = []
  let n = 0
  const progress = setInterval(() => console.info(`  ${n} begun`), PROGRESS_MS)
  try {
    await prepare(client)
    await drive(WARM_UP_RUNS, 64)
    const isolateBefore = await isolateBytes(service.inspector)
    const before = await settledBytes(service.pid)
    let peak = before
    for (const { callers, share } of SHARES) {
      await drive(wanted * share, callers)
      peak = Math.max(peak, residentBytes(service.pid))
    }
    service.calm()
    await checkLog(client, samples)
    report(service, samples)
    if (service.hasFaults) console.info(`faults met: ${service.faultsMet}`)
    const isolateAfter = await isolateBytes(service.inspector)
    console.info(`memory of the Worker: ${mb(isolateBefore)} before, ${mb(isolateAfter)} after`)
    if (isolateAfter > isolateBefore + ISOLATE_MARGIN_BYTES)
      problems.push(`${service.name}: the Worker keeps ${mb(isolateAfter - isolateBefore)}`)
    // The local bucket keeps some 30 KB for each put that it is sent, also by a Worker that does nothing else.
    const enough = service.isAlone ? before + PROCESS_MARGIN_BYTES : Infinity
    const after = await settledBytes(service.pid, enough)
    console.info(`memory of workerd: ${mb(before)} before, ${mb(peak)} at most, ${mb(after)} after`)
    if (after > enough) problems.push(`${service.name}: workerd keeps ${mb(after - before)}`)
  } finally {
    clearInterval(progress)
    await service.stop()
  }

  async function drive(count: number, callers: number): Promise<void> {
    let left = Math.round(count)
    const call = async () => {
      while (left-- > 0) {
        const [kind, own] = [random.pick(names), n++]
        const start = performance.now()
        const outcome = await client.run(kind, own)
        samples.push({ kind, callers, ms: performance.now() - start, outcome, n: own })
      }
    }
    await Promise.all(Array.from({ length: callers }, call))
  }
}

/** Also through faults: tried until it is done. */
async function prepare(client: Client): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const answer = await client.execute({ script: PREPARE })
    if (typeof answer !== 'string' && !answer.error) return
  }
  throw new Error('the service does not store its first files')
}

/** What was acknowledged is there once, what was refused is not, and what is unclear is there once at most. */
async function checkLog(client: Client, samples: readonly Sample[]): Promise<void> {
  const answer = await client.execute({ script: 'return assert(io.open("log")):read("a")' })
  if (typeof answer === 'string' || answer.error) {
    problems.push(`the log cannot be read: ${JSON.stringify(answer)}`)
    return
  }
  const lines = String(answer.result).trimEnd().split('\n')
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  const appends = samples.filter(({ kind }) => kind === 'append to one file')
  for (const { n, outcome } of appends) {
    const times = counts.get(String(n)) ?? 0
    if (times > 1) problems.push(`line ${n} is there ${times} times`)
    if (times === 0 && outcome === 'as expected') problems.push(`line ${n} is lost`)
    if (times > 0 && isRefusal(outcome)) problems.push(`line ${n} is there, but: ${outcome}`)
    counts.delete(String(n))
  }
  for (const line of counts.keys()) problems.push(`the log has ${JSON.stringify(line)}`)
  console.info(`shared log: ${lines.length} lines of ${appends.length} appends`)
}

function report({ name, hasFaults }: SoakedService, samples: readonly Sample[]): void {
  const rows: Record<string, object> = {}
  const outcomes: Record<string, number> = {}
  for (const kind of names) {
    for (const { callers } of SHARES) {
      const some = samples.filter((one) => one.kind === kind && one.callers === callers)
      const times = some.map(({ ms }) => ms).sort((a, b) => a - b)
      const at = (part: number) => Math.round(times[Math.floor(part * (times.length - 1))] ?? 0)
      const isPlain = ({ outcome }: Sample) => outcome === 'as expected'
      rows[`${kind}, ${callers}`] = {
        runs: some.length,
        'p50 ms': at(0.5),
        'p95 ms': at(0.95),
        'p99 ms': at(0.99),
        'other outcomes': some.length - some.filter(isPlain).length,
      }
    }
  }
  for (const { kind, outcome, callers } of samples) {
    const why = explanationOf(outcome, hasFaults)
    if (why === undefined) problems.push(`${name}: ${kind} with ${callers} callers gave ${outcome}`)
    const what = why ?? 'UNEXPLAINED'
    outcomes[what] = (outcomes[what] ?? 0) + 1
  }
  console.table(rows)
  console.table(outcomes)
}

/** What an idle process comes down to: it is given time until that no longer shrinks, and more if it is too much. */
async function settledBytes(pid: number, enough = Infinity): Promise<number> {
  let bytes = residentBytes(pid)
  for (let waited = 0, stable = 0; waited < MAX_IDLE_S; waited++) {
    if (stable >= STABLE_S && bytes <= enough) break
    await sleep(1000)
    const now = residentBytes(pid)
    stable = now < bytes - STABLE_BYTES ? 0 : stable + 1
    bytes = now
  }
  return bytes
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`
}
