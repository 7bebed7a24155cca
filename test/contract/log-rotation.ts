/** Contract tests: no line is lost or duplicated when the log being appended to is renamed. */
import { describe, expect, it } from 'vitest'
import { tombstones } from '../../src/files/store/with-tombstones.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { PREFIX, Run, type Mode } from '../files/harness.ts'
import { watchedStorage } from '../support/watched-storage.ts'
import { Side } from '../support/paced-storage.ts'
import { isAll } from '../support/tier.ts'

/** Tombstone lifetime: enough for a request on a busy machine, short enough to wait for. */
const LIFE_MS = 800

/** For the race of many writers. */
const [WRITERS, LINES] = isAll ? [20, 25] : [6, 10]

/** Which side goes first, and how many requests each makes before the other continues. */
export type Schedule = readonly [first: 'renamer' | 'writer', renamer: number, writer: number]

/** More than either side makes before it waits for a tombstone. */
const MOST_REQUESTS = 12

/** All combinations of the points where the two sides pause. */
export function everySchedule(): Schedule[] {
  const counts = Array.from({ length: MOST_REQUESTS }, (_, count) => count)
  return (['renamer', 'writer'] as const).flatMap((first) =>
    counts.flatMap((renamer) => counts.map((writer) => [first, renamer, writer] as const)),
  )
}

/** Covers each pause of either side at least once. */
function coveringSchedules(): Schedule[] {
  return everySchedule().filter(
    ([, renamer, writer]) => (renamer + 5 * writer) % MOST_REQUESTS === 0,
  )
}

/** @param schedules For the race of two; all combinations if `FAULT_RUNS` is set. */
export function describeLogRotation(
  name: string,
  create: () => Promise<StorageDriver>,
  schedules = globalThis.process?.env['FAULT_RUNS'] ? everySchedule() : coveringSchedules(),
) {
  describe(`a log that is rotated, on ${name}`, () => {
    it.each([
      ['appended', 'a', 'log'],
      ['appended after the rename too', 'a', 'rotated log'],
      ['overwritten', 'w', 'log'],
    ] as const)('keeps what is %s, wherever the two sides pause', async (_, mode, what) => {
      const storage = await create()
      const lost: string[] = []
      await eachOf(schedules, async (schedule) => {
        const lines = await race(storage, schedule, mode, what === 'rotated log')
        if (lines !== null) lost.push(`${schedule.join(' ')}: ${lines}`)
      })
      expect(lost).toEqual([])
    })

    it(`keeps ${WRITERS * LINES} lines of ${WRITERS} writers, each once`, async () => {
      const storage = await create()
      const area = `${crypto.randomUUID()}/`
      const processes = Array.from({ length: 4 }, (_, i) => shortLived(slowed(storage, 5 + i)))
      const rows: object[] = []
      const writing = new Set(Array.from({ length: WRITERS }, (_, writer) => writer))
      let rotations = 0

      async function write(writer: number): Promise<void> {
        for (let line = 0; line < LINES; line += 5) {
          const run = new Run(processes[writer % 4]!)
          const texts = [0, 1, 2, 3, 4].map((i) => `${writer}.${line + i}\n`)
          await run.save(`${area}log`, 'a', texts.join(''))
          rows.push(...(await run.files.finish()))
        }
        writing.delete(writer)
      }

      async function rotate(): Promise<void> {
        const own = shortLived(slowed(storage, 3))
        while (writing.size > 0) {
          const run = new Run(own)
          // The log may not exist at the moment.
          const renamed = run.rename(`${area}log`, `${area}old/${rotations}`)
          await renamed.then(() => rotations++).catch(() => undefined)
          rows.push(...(await run.files.finish()))
        }
      }

      await Promise.all([...Array.from(writing, write), rotate()])
      expect(rotations).toBeGreaterThan(0)
      expect(rows.filter((row) => 'stored' in row)).toEqual([])
      const expected = Array.from(
        { length: WRITERS * LINES },
        (_, i) => `${Math.floor(i / LINES)}.${i % LINES}`,
      )
      expect((await linesIn(storage, area)).sort()).toEqual(expected.sort())
    }, 120_000)
  })
}

/** Returns the final lines if they are wrong, else `null`. */
async function race(
  storage: StorageDriver,
  [first, renamerSteps, writerSteps]: Schedule,
  mode: Mode,
  isLogBegunAnew: boolean,
): Promise<string | null> {
  const area = `${crypto.randomUUID()}/`
  const [renamer, writer] = [new Side(storage), new Side(storage)]
  await storage.put(`${PREFIX}${area}log`, new TextEncoder().encode('old\n'))
  renamer.start(async () => {
    const run = new Run(shortLived(renamer.storage))
    await run.rename(`${area}log`, `${area}moved`)
    if (isLogBegunAnew) await run.save(`${area}log`, 'a', 'begun\n')
    await assertStored(run)
  })
  writer.start(async () => {
    const run = new Run(shortLived(writer.storage))
    await run.save(`${area}log`, mode, 'new\n')
    await assertStored(run)
  })
  if (first === 'renamer') await renamer.goOn(renamerSteps)
  await writer.goOn(writerSteps)
  if (first === 'writer') await renamer.goOn(renamerSteps)
  const [last, other] = first === 'renamer' ? [renamer, writer] : [writer, renamer]
  await last.finish()
  await other.finish()

  const lines = (await linesIn(storage, area)).sort().join(' ')
  const right = isLogBegunAnew ? 'begun new old' : 'new old'
  // Overwriting before the rename replaces the old lines.
  return lines === right || (mode === 'w' && lines === 'new') ? null : lines
}

/** Uses tombstones if the store needs them, with separate state as in another process. */
function shortLived(storage: StorageDriver): StorageDriver {
  return storage.deleteIf ? storage : tombstones(storage, LIFE_MS)
}

async function assertStored(run: Run): Promise<void> {
  const rows = await run.files.finish()
  if (rows.some(({ stored }) => stored === false)) throw new Error(JSON.stringify(rows))
}

/** Pauses every `every` requests, for varying times up to a good part of a tombstone's lifetime. */
function slowed(storage: StorageDriver, every: number): StorageDriver {
  let requests = 0
  return watchedStorage(storage, async () => {
    const isPause = ++requests % every === 0
    const ms = ((requests * 7) % 10) * (LIFE_MS / 20)
    if (isPause) await new Promise((resolve) => setTimeout(resolve, ms))
  })
}

async function linesIn(storage: StorageDriver, area: string): Promise<string[]> {
  const lines: string[] = []
  for await (const entry of shortLived(storage).list(PREFIX + area)) {
    if (entry.kind !== 'object') continue
    const object = await storage.get(entry.object.key)
    lines.push(...new TextDecoder().decode(object?.body).trimEnd().split('\n'))
  }
  return lines
}

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const next = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: 24 }, next))
}
