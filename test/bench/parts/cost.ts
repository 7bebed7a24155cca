/** Dollars per million trivial runs: list prices times the measured CPU time. */
import { createApp } from '../../../src/app.ts'
import { parseConfig } from '../../../src/config.ts'
import { DEFAULT_LIMITS } from '../../../src/limits.ts'
import { Admission } from '../../../src/operations/memory/admission.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { loadLua } from '../../../src/vm/load-node.ts'
import { signToken, TEST_SECRET } from '../../support/sign-token.ts'
import { median, takeTurns, timed } from '../measure.ts'
import { LAMBDA, PRICES_READ, WORKERS } from '../prices.ts'
import { say } from '../progress.ts'
import { readResults, type Figures, type PartName, type Row } from '../results.ts'
import { CPU_MS } from '../rivals.ts'
import { FRESH_ISOLATE, ISOLATES_ONE_BY_ONE } from './isolates.ts'
import { EXECUTE_ONCE, OURS } from './service.ts'

const MILLION = 1_000_000
/** As in the template; this much memory includes this share of a core. */
const LAMBDA_MEMORY_GIB = 1
const LAMBDA_CORES = 1024 / 1769

export async function cost(): Promise<Figures> {
  const executeMs = cpuMsOf('service', EXECUTE_ONCE, OURS)
  const isolateMs = cpuMsOf('isolates', ISOLATES_ONE_BY_ONE, FRESH_ISOLATE)
  const lambdaMs = (await inProcessMs()) / LAMBDA_CORES
  const rows = [
    row('Moonbucket on Workers', onWorkers(executeMs), executeMs),
    row('Worker Loader, every script another', onWorkers(isolateMs) + loaded(MILLION), isolateMs),
    row('Worker Loader, the same script all day', onWorkers(isolateMs) + loaded(1), isolateMs),
    row('Moonbucket on Lambda, 1 GiB, x86', onLambda(lambdaMs), lambdaMs),
  ]
  const ours = rows[0]!.value!.median
  return {
    comparisons: [
      {
        id: 'cost',
        title: 'Dollars per million runs of a trivial script',
        note: `List prices beyond what a plan includes, read in ${PRICES_READ}: Workers $${WORKERS.perMillionRequests} per million requests, $${WORKERS.perMillionCpuMs} per million milliseconds of CPU and, for Dynamic Workers, $${WORKERS.perLoadedWorker} for each distinct Worker loaded in a day; Lambda $${LAMBDA.perMillionRequests} per million requests and $${LAMBDA.perGibibyteSecond} per GB-second. Without storage and traffic. CPU is all that workerd used, its HTTP server included; for Lambda it is the time of a warm call without waiting for a store, on the ${Math.round(LAMBDA_CORES * 100)} % of a core that 1 GiB brings.`,
        unit: 'dollars',
        rounds: 1,
        hasChart: true,
        rows: rows.map((one) => ({ ...one, ratio: sure(one.value!.median / ours) })),
      },
    ],
    growths: [],
    bars: [],
  }
}

function row(name: string, dollars: number, ms: number): Row {
  return { name, value: sure(dollars), more: { 'ms each': ms } }
}

const sure = (value: number) => ({ median: value, q1: value, q3: value })

/** `ms` per request is `ms` million milliseconds per million requests. */
const onWorkers = (ms: number) => WORKERS.perMillionRequests + ms * WORKERS.perMillionCpuMs

const loaded = (workers: number) => workers * WORKERS.perLoadedWorker

const onLambda = (ms: number) =>
  LAMBDA.perMillionRequests + MILLION * (ms / 1000) * LAMBDA_MEMORY_GIB * LAMBDA.perGibibyteSecond

function cpuMsOf(part: PartName, id: string, name: string): number {
  const comparison = readResults()[part]?.comparisons.find((one) => one.id === id)
  if (!comparison) {
    throw new Error(`The costs come from the part "${part}": npm run bench -- --only ${part},cost`)
  }
  const ms = comparison.rows.find((one) => one.name === name)?.more?.[CPU_MS]
  if (ms === undefined) throw new Error('The costs need CPU times, which only Linux tells.')
  return ms
}

/** The app in this process, on a memory store. */
async function inProcessMs(): Promise<number> {
  say('a run in process, as Lambda does it')
  const app = createApp({
    service: {
      config: parseConfig({
        AUTH_SECRET: TEST_SECRET,
        LINK_SECRET: 'signs the links of the bench',
      }),
      storage: memoryStorage(),
      lua: await loadLua(),
      admission: new Admission(DEFAULT_LIMITS.memoryBytes * 4),
      now: () => new Date(),
      apis: undefined,
      log: () => undefined,
    },
    countRequest: undefined,
  })
  const token = await signToken({ tenant: 'bench', sub: 'alice' })
  const execute = timed(async () => {
    const answer = await app.request('https://moonbucket.test/execute', {
      method: 'POST',
      body: JSON.stringify({ script: 'return 1+1' }),
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    })
    if (!answer.ok) throw new Error(await answer.text())
    await answer.text()
  })
  const { app: times } = await takeTurns(
    { app: execute },
    { rounds: 500, budgetMs: 5_000, warmUps: 100 },
  )
  return median(times)
}
