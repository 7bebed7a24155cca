/** Kills the process that runs scripts at random moments, and judges what became of the runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { callerOf, type Caller } from '../../support/caller.ts'
import { Random } from '../../support/random.ts'
import { counted } from './counted.ts'
import { laterReader, storedRows, type LaterReader, type Run } from './later-reader.ts'
import type { Engine } from './engines.ts'

const TENANT = 'killed'
const FILES = 5
const LINES = 500
/** In run times of this machine, so that kills hit every part of a run. */
const MAX_ALIVE = 1.5
const MAX_AT_ONCE = 3

const SCRIPT = `
  local id = args.id
  assert(io.open("share/log.txt", "a")):write(id, "\\n"):close()
  for i = 1, ${FILES} do
    assert(io.open("output/" .. id .. "/" .. i .. ".txt", "w")):write((id .. "\\n"):rep(${LINES})):close()
    for _ = 1, 2000000 do end
    assert(io.open("share/log.txt")):close()
  end
  return id
`

/** What a series ended with. */
export interface KillOutcome {
  readonly runs: number
  readonly statuses: Readonly<Record<string, number>>
  /** Empty if every promise was kept. */
  readonly problems: readonly string[]
}

export async function killSeries(
  engine: Engine,
  { kills, seed }: { readonly kills: number; readonly seed: number },
): Promise<KillOutcome> {
  const random = new Random(seed)
  const suffix = `-${crypto.randomUUID()}`
  let origin = ''
  const caller = callerOf(() => origin, suffix)
  /** What a run writes into the log, by its id. */
  const lines = new Map<string, string>()
  const start = async () => {
    const service = await engine.start({ BACKGROUND_PER_TENANT: '1000' })
    origin = service.origin
    return service
  }
  const first = await start()
  const maxAliveMs = MAX_ALIVE * (await timeOfRun(caller, lines))
  await first.kill()
  for (let kill = 1; kill < kills; kill++) {
    const service = await start()
    const offers = Array.from({ length: 1 + random.below(MAX_AT_ONCE) }, () => offer(caller, lines))
    // One in four kills may also meet the request itself.
    if (random.chance(75)) await Promise.all(offers)
    await sleep(random.below(maxAliveMs))
    await service.kill()
    await Promise.all(offers)
  }
  await engine.stop()
  return judge(TENANT + suffix, lines)
}

/** In milliseconds, with the start of what a killed process had. */
async function timeOfRun(caller: Caller, lines: Map<string, string>): Promise<number> {
  const from = performance.now()
  await offer(caller, lines)
  const [id] = lines.keys()
  let status = 'queued'
  while (status === 'queued' || status === 'running') {
    const response = await caller.send(TENANT, `/runs/${id}?wait=30`)
    status = ((await response.json()) as Run).status
  }
  return performance.now() - from
}

/** The service may be killed before it answers. */
async function offer(caller: Caller, lines: Map<string, string>): Promise<void> {
  const line = crypto.randomUUID()
  try {
    const body = { script: SCRIPT, args: { id: line }, background: true }
    const response = await caller.post(TENANT, '/execute', body)
    const { run } = (await response.json()) as { readonly run: Run }
    lines.set(run.id, line)
  } catch {
    // It may have been accepted all the same, and is found by its record.
  }
}

async function judge(tenant: string, lines: ReadonlyMap<string, string>): Promise<KillOutcome> {
  const reader = await laterReader(tenant)
  const log = ((await reader.text('share/log.txt')) ?? '').split('\n').slice(0, -1)
  const times = counted(log)
  const problems: string[] = []
  const statuses: Record<string, number> = {}
  const named = new Set<string>()
  const ids = await reader.runIds()
  const missing = [...lines.keys()].filter((id) => !ids.includes(id))
  problems.push(...missing.map((id) => `${id} was accepted, and is not there`))
  for (const id of ids) {
    const run = await reader.run(id)
    statuses[run.status] = (statuses[run.status] ?? 0) + 1
    for (const { name } of storedRows(run)) named.add(name)
    const line = lines.get(id)
    const found = await problemsOf(run, line === undefined ? null : (times.get(line) ?? 0), reader)
    problems.push(...found.map((what) => `${id} ${run.status}: ${what}`))
  }
  for (const [line, count] of times) if (count > 1) problems.push(`${line} ran ${count} times`)
  const unnamed = (await reader.files()).filter((name) => !named.has(name))
  problems.push(...unnamed.map((name) => `${name} is stored, and no run says so`))
  return { runs: ids.length, statuses, problems }
}

/** @param times How often it is in the log; null if its line is not known. */
async function problemsOf(run: Run, times: number | null, reader: LaterReader): Promise<string[]> {
  const problems: string[] = []
  if (!['succeeded', 'lost'].includes(run.status)) problems.push('should have ended otherwise')
  if (run.started_at === null && times) problems.push('ran, and says that it did not start')
  if (run.status === 'succeeded' && times === 0) problems.push('is not in the log')
  if (run.started_at !== null && !run.answer) problems.push('does not say what was stored')
  for (const { name, bytes } of storedRows(run)) {
    const [, id] = /^output\/([\w-]+)\//.exec(name) ?? []
    if (id === undefined) continue
    const isWhole = (await reader.text(name)) === `${id}\n`.repeat(LINES)
    if (!isWhole || bytes !== (id.length + 1) * LINES) problems.push(`${name} is broken`)
  }
  if (run.status === 'succeeded' && storedRows(run).length !== FILES + 1)
    problems.push('does not name all its files')
  return problems
}
