/** One large file on one service: what is stored is checked, rate and memory are measured. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { cpuMs } from '../../bench/cpu-time.ts'
import type { Caller } from '../../support/caller.ts'
import type { Answer } from '../../support/make-app.ts'
import { readEvents } from '../../support/read-events.ts'
import type { LargeFile } from './data.ts'
import type { LargeService } from './services.ts'

const TENANT = 'large'
const MIB = 1024 * 1024
/** Until what is no longer used has been given back. */
const SETTLE_MS = 1_000
/** Loads what the first request to the store needs. */
const WARM_UP = 'io.open("warm", "w"):write("x"):close()'

export interface Measured {
  readonly seconds: number
  readonly fuel: number
  /** Of the process; `undefined` where others run in it. */
  readonly cpuSeconds: number | undefined
  /** In bytes. */
  readonly before: number
  readonly peak: number
  readonly after: number
}

/** @throws unless all is acknowledged, and the stored bytes are the right ones. */
export async function measure(service: LargeService, file: LargeFile): Promise<Measured> {
  const { caller, pid, startWatch, stop } = await service.start(file)
  try {
    await caller.run(TENANT, WARM_UP)
    await sleep(SETTLE_MS)
    const watch = await startWatch()
    const before = await watch.now()
    const start = performance.now()
    const cpuBefore = pid && cpuMs(pid)
    const { answer, fuel } = await runLong(caller, file.script)
    const seconds = (performance.now() - start) / 1000
    const cpuSeconds = cpuBefore && (cpuMs(pid)! - cpuBefore) / 1000
    await sleep(SETTLE_MS)
    const after = await watch.now()
    const peak = await watch.end()
    assertAcknowledged(file, answer)
    if ((await storedHash(answer.files_touched[0]!.url!)) !== hashOf(file.pieces())) {
      throw new Error('other bytes are stored than were written')
    }
    await caller.run(TENANT, 'assert(os.remove(args))', { args: file.name })
    return { seconds, cpuSeconds, fuel, before, peak, after }
  } finally {
    await stop()
  }
}

/** As events, which keep the connection open. */
async function runLong(caller: Caller, script: string) {
  const headers = { Accept: 'text/event-stream' }
  const response = await caller.post(TENANT, '/execute', { script }, { headers })
  let answer: Answer | undefined
  let fuel = NaN
  for await (const [name, data] of readEvents(response)) {
    if (name === 'result') answer = data as Answer
    if (name === 'stats') fuel = (data as { fuel: number }).fuel
  }
  if (!answer) throw new Error('the run ended without a result')
  return { answer, fuel }
}

function assertAcknowledged({ name, mib, result }: LargeFile, answer: Answer): void {
  const bytes = mib * MIB
  const [row, ...others] = answer.files_touched
  const isStored = row?.name === name && row.bytes === bytes && row.stored !== false
  const isRight = isDeepStrictEqual(answer.result, result)
  if (answer.error || !isStored || !isRight || others.length > 0) {
    throw new Error(JSON.stringify(answer))
  }
}

/** From the store itself: a local one takes longer to begin than the service waits for it. */
async function storedHash(url: string): Promise<string> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  const hash = createHash('sha256')
  for await (const chunk of response.body!) hash.update(chunk)
  return hash.digest('hex')
}

function hashOf(pieces: Iterable<Uint8Array>): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}
