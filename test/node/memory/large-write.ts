/** A script that writes one large file in lines, and how much memory the service takes for it. */
import { createHash } from 'node:crypto'
import type { Caller } from '../../support/caller.ts'
import type { Answer } from '../../support/make-app.ts'
import { readEvents } from '../../support/read-events.ts'

const LINE_BYTES = 1024
const LINES_PER_MIB = 1024
const PAD = 'abcdefghijklmnop'.repeat(63)

/** Settings of a service that lets scripts write so much. */
export function settingsFor(mib: number): Record<string, string> {
  return {
    IO_MAX_BYTES: String(mib * LINES_PER_MIB * LINE_BYTES),
    TIMEOUT_MS: '900000',
    FUEL: '1000000000000',
  }
}

const scriptOf = (mib: number) => `
  local pad = ('abcdefghijklmnop'):rep(63)
  local file = assert(io.open('large.txt', 'w'))
  for i = 1, ${mib * LINES_PER_MIB} do assert(file:write(('%014d '):format(i), pad, '\\n')) end
  assert(file:close())`

export interface LargeWrite {
  readonly mibPerS: number
  /** In bytes. */
  readonly before: number
  readonly peak: number
  readonly after: number
}

/** Ended by the caller; the most bytes held since its start. */
type StartWatch = () => Promise<{ now(): Promise<number>; end(): Promise<number> }>

/** @throws unless all is acknowledged, and the stored bytes are those that were written. */
export async function writeLarge(
  caller: Caller,
  mib: number,
  startWatch: StartWatch,
): Promise<LargeWrite> {
  await caller.run('large', 'return 1')
  const watch = await startWatch()
  const before = await watch.now()
  const start = performance.now()
  const { error, files_touched: rows } = await runLong(caller, scriptOf(mib))
  const seconds = (performance.now() - start) / 1000
  const after = await watch.now()
  const peak = await watch.end()
  const bytes = mib * LINES_PER_MIB * LINE_BYTES
  const isStored = rows.length === 1 && rows[0]!.bytes === bytes && rows[0]!.stored !== false
  if (error || !isStored) throw new Error(JSON.stringify({ error, rows }))
  const found = await storedHash(caller)
  if (found !== expectedHash(mib)) throw new Error('other bytes are stored than were written')
  return { mibPerS: mib / seconds, before, peak, after }
}

/** As events, which keep the connection open. */
async function runLong(caller: Caller, script: string): Promise<Answer> {
  const headers = { Accept: 'text/event-stream' }
  const response = await caller.post('large', '/execute', { script }, { headers })
  for await (const [name, data] of readEvents(response)) {
    if (name === 'result') return data as Answer
  }
  throw new Error('the run ended without a result')
}

async function storedHash(caller: Caller): Promise<string> {
  let response = await caller.send('large', '/fs/content?path=large.txt')
  // A busy machine's store may not answer in time.
  for (let tries = 1; response.status === 503 && tries < 5; tries++) {
    response = await caller.send('large', '/fs/content?path=large.txt')
  }
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  const hash = createHash('sha256')
  for await (const chunk of response.body!) hash.update(chunk)
  return hash.digest('hex')
}

function expectedHash(mib: number): string {
  const hash = createHash('sha256')
  for (let at = 0; at < mib; at++) {
    const numbers = Array.from({ length: LINES_PER_MIB }, (_, i) => at * LINES_PER_MIB + i + 1)
    hash.update(numbers.map((n) => `${String(n).padStart(14, '0')} ${PAD}\n`).join(''))
  }
  return hash.digest('hex')
}
