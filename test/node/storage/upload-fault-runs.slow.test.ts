/**
 * Many large files on a bad network, written by scripts and saved from an API: what is acknowledged
 * is stored to the byte, what is not is whole or as before, and no upload is left at the store.
 *
 * With FAULT_RUNS, every fault comes four times.
 */
import { afterAll, expect, it } from 'vitest'
import { retrying } from '../../../src/storage/retrying.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { FAULTS, startFaultProxy, type Fault, type Seen } from '../../support/fault-proxy.ts'
import { isUploadOpen, sharedS3 } from '../../support/local-s3.ts'
import { ORIGIN, type Answer } from '../../support/make-app.ts'
import { makeApiApp } from '../sdk/make-api-app.ts'
import { startApi } from '../sdk/start-api.ts'

const RUNS = FAULTS.length * (process.env.FAULT_RUNS ? 4 : 1)
const PARALLEL_RUNS = 2
/** Stalls end soon; a transfer that a busy machine delays is one more fault. */
const PATIENCE = {
  attempts: 2,
  firstPauseMs: 1,
  maxPauseMs: 5,
  attemptMs: 2_000,
  minBytesPerS: 8_000_000,
}
/** Two full parts and a short one. */
const BYTES = 17 * 1024 * 1024
const LINE = '0123456789abcde\n'
const CONTENT = Buffer.alloc(BYTES, LINE)
const OLD = Buffer.from('old')

const s3 = await sharedS3()
const proxy = await startFaultProxy(s3.endpoint)
const direct = s3Storage(s3.settings)
const shaky = retrying(s3Storage({ ...s3.settings, endpoint: proxy.endpoint }), PATIENCE)
const api = await startApi()
api.answer((_, response) => void response.end(CONTENT))
afterAll(() => Promise.all([proxy.stop(), api.stop()]))

const SCRIPTS = [
  `local file = assert(io.open(args, 'w'))
   local block = ('${LINE.trimEnd()}\\n'):rep(4096)
   for i = 1, ${BYTES / 65_536} do file:write(block) end
   file:close()`,
  'sdk.a.get({}, {save_to = args})',
]

const isCreation = ({ method, query }: Seen) => method === 'POST' && query.has('uploads')
const isPart = ({ method, query }: Seen, number: number) =>
  method === 'PUT' && query.get('partNumber') === String(number)
const isCompletion = ({ method, query }: Seen) => method === 'POST' && query.has('uploadId')

/** One run: what it meets where. */
interface Trial {
  readonly run: number
  readonly fault: Fault
  /** Whether every try meets it, or the first. */
  readonly isLasting: boolean
  readonly leave: () => void
}

/** Which requests meet a fault. */
type Meets = (seen: Seen, trial: Trial) => Fault | undefined

const at = (isThere: (seen: Seen, run: number) => boolean): Meets => {
  const met = new Set<number>()
  return (seen, { run, fault, isLasting }) => {
    if (!isThere(seen, run) || (met.has(run) && !isLasting)) return undefined
    met.add(run)
    return fault
  }
}

/** The answer to the completion is lost, and so is every later question about the file. */
const unclear = (): Meets => {
  const sent = new Set<number>()
  return (seen, { run }) => {
    if (isCompletion(seen)) sent.add(run)
    else if (sent.has(run) && seen.method === 'HEAD') return '500'
    return isCompletion(seen) ? 'lost answer' : undefined
  }
}

const PLACES: Readonly<Record<string, () => Meets>> = {
  'the creation': () => at(isCreation),
  'a part': () => at((seen, run) => isPart(seen, 1 + (run % 3))),
  'the completion': () => at(isCompletion),
  'the completion, which stays unclear': unclear,
  'a part, where the caller leaves': () => (seen, trial) => {
    if (isPart(seen, 1 + (trial.run % 3))) trial.leave()
    return undefined
  },
}

it.each(Object.entries(PLACES))(
  `${RUNS} runs with faults at %s`,
  { timeout: 60_000 + RUNS * 10_000 },
  async (place, meetsOf) => {
    const app = await makeApiApp(
      { a: { baseUrl: api.origin, calls: { get: {} } } },
      { storage: shaky },
    )
    const token = await app.tokenOf()
    const meets = meetsOf()
    const trials = new Map<string, Trial>()
    const uploads = new Map<string, string>()
    let met = 0
    proxy.follow((seen) => {
      const trial = trials.get(seen.path.split('/').at(-1)!)
      const id = seen.query.get('uploadId')
      if (id) uploads.set(id, seen.path.slice('/files/'.length))
      const fault = trial && meets(seen, trial)
      if (fault) met++
      return fault
    })

    async function runOne(run: number): Promise<string> {
      const name = `big-${run}`
      const key = `${app.tenant}/users/alice/${name}`
      await direct.put(key, OLD)
      const caller = new AbortController()
      // Each fault, lasting or not, with each script.
      const isLasting = Math.floor(run / FAULTS.length) % 2 === 1
      const fault = FAULTS[run % FAULTS.length]!
      trials.set(name, { run, fault, isLasting, leave: () => (met++, caller.abort()) })
      const script = SCRIPTS[run % SCRIPTS.length]!
      const request = new Request(`${ORIGIN}/execute`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
        body: JSON.stringify({ script, args: name }),
        signal: caller.signal,
      })
      const answer = (await (await app.app.fetch(request)).json()) as Answer
      trials.delete(name)
      const body = Buffer.from((await direct.get(key))!.body)
      await direct.delete(key)
      return whatIs(answer, body)
    }

    const outcomes: string[] = []
    let next = 0
    const runNext = async () => {
      while (next < RUNS) outcomes.push(await runOne(next++))
    }
    await Promise.all(Array.from({ length: PARALLEL_RUNS }, runNext))
    proxy.follow(() => undefined)
    const open = await Promise.all([...uploads].map(([id, key]) => isUploadOpen(s3, key, id)))
    console.info(place, { met, uploads: uploads.size, ...countsOf(outcomes) })
    expect(outcomes.filter((outcome) => outcome.startsWith('WRONG'))).toEqual([])
    expect(open.filter(Boolean)).toEqual([])
    expect(met).toBeGreaterThanOrEqual(RUNS)
  },
)

/** An answer against what is stored. */
function whatIs({ files_touched: rows, error }: Answer, body: Buffer): string {
  const [row] = rows
  const isOld = body.equals(OLD)
  const isNew = !isOld && body.equals(CONTENT.subarray(0, body.length))
  if (!isOld && !isNew) return 'WRONG: torn'
  if (row && row.stored !== false) {
    return isNew && row.bytes === body.length ? 'acknowledged' : 'WRONG: acknowledged and lost'
  }
  if (!error) return 'WRONG: a failure is hidden'
  return isOld ? 'refused, as before' : 'refused, but stored whole'
}

function countsOf(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
