/**
 * The whole service on a bad network: what it acknowledged is there, and what is not there it said.
 *
 * The local store manages about a hundred requests a second, so `npm test` makes few runs under some of
 * the faults; FAULT_RUNS=200 makes it a long test.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { retrying } from '../../../src/storage/retrying.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { FAULTS, someMeet, startFaultProxy, type Seen } from '../../support/fault-proxy.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { makeApp, type Answer } from '../../support/make-app.ts'
import { everyNth, isAll } from '../../support/tier.ts'

const RUNS = Number(process.env.FAULT_RUNS ?? (isAll ? 30 : 5))
const PARALLEL_RUNS = 5

/** Of all requests: enough that some runs fail although each request is tried twice. */
const SHARE = 0.25
/** Each of these has to be waited for. */
const STALLED_SHARE = 0.08

/** Stalls end soon, but not before a busy machine has answered. */
const PATIENCE = { attempts: 2, firstPauseMs: 1, maxPauseMs: 5, attemptMs: 1_000 }

/** Large enough to be torn. */
const TEXT = 'one line of a file that must be whole\n'.repeat(2_000)

const s3 = await sharedS3()
const proxy = await startFaultProxy(s3.endpoint)
const direct = s3Storage(s3.settings)
const shaky = retrying(s3Storage({ ...s3.settings, endpoint: proxy.endpoint }), PATIENCE)
afterAll(() => proxy.stop())

/** Writes a file of its own, appends to one that all share, and removes an old one. */
const scriptOf = (run: number) => `
  local file = assert(io.open('new-${run}', 'w'))
  file:write('${run}\\n', ('one line of a file that must be whole\\n'):rep(2000))
  file:close()
  local log = assert(io.open('log', 'a'))
  log:write('line ${run}\\n')
  log:close()
  assert(os.remove('old-${run}'))
`

/** What a caller may rely on. */
const isAcknowledged = ({ files_touched }: Answer, name: string) =>
  files_touched.some((row) => row.name === name && row.stored !== false)

describe.each(everyNth(4, FAULTS))('with %s', (fault) => {
  it(
    'nothing acknowledged is lost, torn or doubled, and failures are reported',
    async () => {
      proxy.follow(() => undefined)
      const app = await makeApp({ storage: shaky })
      const prefix = `${app.tenant}/users/alice/`
      const runs = Array.from({ length: RUNS }, (_, run) => run)
      for (const run of runs) await direct.put(`${prefix}old-${run}`, new Uint8Array(1))

      proxy.follow(someMeet(fault, fault === 'stalled answer' ? STALLED_SHARE : SHARE, 1))
      const answers: Answer[] = []
      await inGroups(runs, async (run) => {
        answers[run] = await app.run(scriptOf(run))
      })
      expect(sum(proxy.counts.values())).toBeGreaterThan(RUNS * 3)

      proxy.follow(() => undefined)
      const texts = await textsUnder(prefix)
      const lines = (texts.log ?? '').split('\n').slice(0, -1)
      const told = runs.map((run) => whatIsWrong(run, answers[run]!, texts, lines))
      expect(told.filter((wrong) => wrong.length > 0)).toEqual([])
      expect(lines.filter((line) => !/^line \d+$/.test(line))).toEqual([])

      const next = await app.run(`local f = io.open('next', 'w') f:write('x') f:close() return 1`)
      expect(next).toMatchObject({ result: 1, files_touched: [{ name: 'next', bytes: 1 }] })
      expect(next.error).toBeUndefined()
    },
    Math.max(60_000, RUNS * 2_000),
  )
})

it('faults that outlast every retry are reported file by file, and the service goes on', async () => {
  proxy.follow(() => undefined)
  const app = await makeApp({ storage: shaky })
  proxy.follow(({ method, path }) => (method === 'PUT' && path.endsWith('bad') ? '500' : undefined))
  const answer = await app.run(`
    for _, name in ipairs({ 'good', 'bad', 'fine' }) do
      local file = assert(io.open(name, 'w')) file:write(name) file:close()
    end`)
  expect(answer.error).toEqual({
    kind: 'storage',
    message: 'not everything was stored; not accepted by the store: bad',
  })
  const stored = answer.files_touched.map(({ name, stored: isStored }) => [name, isStored ?? true])
  expect(stored.toSorted()).toEqual([
    ['bad', false],
    ['fine', true],
    ['good', true],
  ])
  const key = `/files/${app.tenant}/users/alice/bad`
  expect(proxy.counts.get(`PUT ${key}`)).toBe(2)
})

const APPEND = 'local log = io.open("log", "a") log:write(args, "\\n") log:close()'
const isLogPut = ({ method, path }: Seen) => method === 'PUT' && path.endsWith('/log')

it('runs of two processes that append to one file are all stored, once', async () => {
  proxy.follow(() => undefined)
  const first = await makeApp({ storage: s3Storage(s3.settings) })
  const second = await makeApp({ storage: s3Storage(s3.settings) })
  const runs = Array.from({ length: isAll ? 64 : 16 }, (_, run) => `line ${run}`)
  const answers = await Promise.all(
    runs.map((args, run) =>
      (run % 2 ? first : second).run(APPEND, { args }, { tenant: first.tenant }),
    ),
  )
  expect(answers.flatMap(({ error }) => error ?? [])).toEqual([])
  const { log = '' } = await textsUnder(`${first.tenant}/users/alice/`)
  expect(log.trimEnd().split('\n').toSorted()).toEqual(runs.toSorted())
}, 60_000)

it.each(['lost answer', 'stalled answer'] as const)(
  'an append whose every put meets a %s is found in the store',
  async (fault) => {
    const app = await makeApp({ storage: shaky })
    proxy.follow((seen) => (isLogPut(seen) ? fault : undefined))
    const answer = await app.run(APPEND, { args: 'own' })
    expect(answer.error).toBeUndefined()
    expect(await textsUnder(`${app.tenant}/users/alice/`)).toEqual({ log: 'own\n' })
  },
)

it('an append that cannot be looked up is reported as one that may have been stored', async () => {
  const app = await makeApp({ storage: shaky })
  let isSent = false
  proxy.follow((seen) => {
    if (isLogPut(seen)) isSent = true
    if (isSent) return isLogPut(seen) ? 'lost answer' : '500'
    return undefined
  })
  const answer = await app.run(APPEND, { args: 'own' })
  expect(answer.error).toEqual({
    kind: 'storage',
    message: 'it is not known whether everything was stored; not confirmed by the store: log',
  })
  expect(answer.files_touched).toMatchObject([{ name: 'log', stored: false }])
  expect(await textsUnder(`${app.tenant}/users/alice/`)).toEqual({ log: 'own\n' })
})

it('a run meets its share of faults', () => {
  const plan = someMeet('500', SHARE, 1)
  const seen = Array.from({ length: 1000 }, (_, i) =>
    plan({ method: 'PUT', path: `/a${i % 50}`, before: Math.floor(i / 50) } as never),
  )
  const share = seen.filter((fault) => fault === '500').length / seen.length
  expect(Math.abs(share - SHARE)).toBeLessThan(0.05)
})

/** Every promise of one answer against what the store holds. */
function whatIsWrong(
  run: number,
  answer: Answer,
  texts: Readonly<Record<string, string>>,
  lines: readonly string[],
): string[] {
  const wrong: string[] = []
  const isWhole = texts[`new-${run}`] === `${run}\n${TEXT}`
  if (isAcknowledged(answer, `new-${run}`) && !isWhole) wrong.push(`new-${run} is lost`)
  if (texts[`new-${run}`] !== undefined && !isWhole) wrong.push(`new-${run} is torn`)

  const times = lines.filter((line) => line === `line ${run}`).length
  if (isAcknowledged(answer, 'log') && times === 0) wrong.push(`line ${run} is lost`)
  if (times > 1) wrong.push(`line ${run} is there ${times} times`)

  const isGone = texts[`old-${run}`] === undefined
  if (isAcknowledged(answer, `old-${run}`) && !isGone) wrong.push(`old-${run} is still there`)

  const names = answer.files_touched.map(({ name }) => name)
  const isComplete = ['log', `new-${run}`, `old-${run}`].every((name) => names.includes(name))
  const isAllStored = answer.files_touched.every((row) => row.stored !== false)
  if (!answer.error && !(isComplete && isAllStored)) wrong.push(`run ${run} hides a failure`)
  return wrong
}

async function textsUnder(prefix: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for await (const entry of direct.list(prefix)) {
    if (entry.kind !== 'object') continue
    const { key } = entry.object
    const object = await direct.get(key)
    texts[key.slice(prefix.length)] = new TextDecoder().decode(object?.body)
  }
  return texts
}

async function inGroups(runs: readonly number[], work: (run: number) => Promise<void>) {
  for (let at = 0; at < runs.length; at += PARALLEL_RUNS) {
    await Promise.all(runs.slice(at, at + PARALLEL_RUNS).map(work))
  }
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0)
}
