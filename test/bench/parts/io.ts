/** File I/O: by size against native Lua on disk, by number of files, and peak memory. */
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { loadLua } from '../../../src/vm/load-node.ts'
import { atMost, LINEAR } from '../bars.ts'
import { NATIVE, nativeIn, nativeVersion } from '../contestants/native-lua.ts'
import { OURS } from '../contestants/moonbucket.ts'
import { forgetfulStorage } from '../forgetful-storage.ts'
import { growthOf, type LinePoint } from '../growth.ts'
import { median, ratiosOf, spreadOf, takeTurns, timed, type Turn } from '../measure.ts'
import { say } from '../progress.ts'
import type { Bar, Comparison, Figures, Growth, Row } from '../results.ts'
import { runOnMemory } from '../run-on-memory.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { FILE_WORK, MEGABYTES, repeated, type FileWork } from '../workloads/file-scripts.ts'
import { readingCsv } from './io-csv.ts'
import { growthByFiles } from './io-files.ts'
import { peakMemory } from './io-memory.ts'
import { dataPages } from './io-pages.ts'
import { searchSpeed } from './io-search.ts'
import { manySmallWrites } from './io-small.ts'

const MAX_READ_RATIO = 1.3

const ROUNDS = 15
/** Smaller files are processed repeatedly, up to this total. */
const MIN_MEGABYTES = 10
/** Lower bound: on a busy machine the idle time may exceed the total. */
const LEAST_MS = 0.01
/** What writes the file to be read. */
const WRITTEN_BY: Partial<Record<FileWork, FileWork>> = {
  'read lines': 'write lines',
  'read blocks': 'write blocks',
}
const WORK = Object.keys(FILE_WORK) as FileWork[]

interface Sample {
  readonly work: FileWork
  readonly megabytes: number
  readonly ours: readonly number[]
  /** Empty without native Lua. */
  readonly native: readonly number[]
}

export async function io(): Promise<Figures> {
  const samples = await byBytes()
  const files = await growthByFiles()
  const small = await manySmallWrites()
  const memory = await peakMemory()
  const csv = await readingCsv()
  const search = await searchSpeed()
  const pages = await dataPages()
  const bars = [...csv.bars, ...linearBars(samples, files), ...memory.bars, ...search.bars]
  return {
    comparisons: [
      ratioTable(samples),
      small,
      csv.comparison,
      memory.comparison,
      search.comparison,
      pages,
    ],
    growths: [...WORK.map((work) => growthOfWork(samples, work)), files],
    bars: [readBar(samples), ...bars],
  }
}

/** Startup times are subtracted, to compare file I/O only. */
async function byBytes(): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const megabytes of MEGABYTES) {
    for (const work of WORK) samples.push(await sampleOf(work, megabytes))
  }
  return samples
}

const folder = tempFolder()

async function sampleOf(work: FileWork, megabytes: number): Promise<Sample> {
  say(`files: ${work}, ${megabytes} MB`)
  const module = await loadLua()
  const native = nativeIn(folder)
  const times = Math.max(1, MIN_MEGABYTES / megabytes)
  const script = FILE_WORK[work](megabytes)
  const storage = await storageFor(work, megabytes, module)
  // Separate runs: a run keeps what it has read in memory.
  const runEachTime = async (lua: string) => {
    for (let time = 0; time < times; time++) await runOnMemory(module, lua, storage)
  }
  const turns: Record<string, Turn> = {
    ours: timed(() => runEachTime(script)),
    oursIdle: timed(() => runEachTime('')),
  }
  if (typeof native === 'function') {
    turns.native = timed(() => native(repeated(script, times)))
    turns.nativeIdle = timed(() => native(''))
  }
  const taken = await takeTurns(turns, { rounds: ROUNDS, budgetMs: 4_000 })
  const eachWithout = (all: readonly number[] = [], idle: readonly number[] = []) =>
    all.map((ms) => Math.max(ms - median(idle), LEAST_MS) / times)
  return {
    work,
    megabytes,
    ours: eachWithout(taken.ours, taken.oursIdle),
    native: eachWithout(taken.native, taken.nativeIdle),
  }
}

/** Writes go to a store that copies nothing; files to read are stored first. */
async function storageFor(
  work: FileWork,
  megabytes: number,
  module: WebAssembly.Module,
): Promise<StorageDriver> {
  const written = WRITTEN_BY[work]
  if (written === undefined) return forgetfulStorage()
  const storage = memoryStorage()
  await runOnMemory(module, FILE_WORK[written](megabytes), storage)
  return storage
}

function ratioTable(samples: readonly Sample[]): Comparison {
  const version = nativeVersion()
  return {
    id: 'io-bytes',
    title: 'Files by size: time as a multiple of native Lua on disk',
    note:
      version === undefined
        ? 'There is no lua5.4 on this machine (Debian: apt-get install lua5.4).'
        : `Native is lua5.4 ${version}. Neither what its process takes to start is in it, nor what a VM does. Ours writes to a store that copies nothing and reads from one that copies the file out of memory. Files of less than ${MIN_MEGABYTES} MB are written and read several times.`,
    unit: 'times native',
    rounds: ROUNDS,
    hasChart: false,
    rows: samples.map(({ work, megabytes, ours, native }): Row => {
      const name = `${work}, ${megabytes} MB`
      if (native.length === 0)
        return { name, missing: 'no lua5.4', more: { 'ours ms': median(ours) } }
      const more = { 'ours ms': median(ours), 'native ms': median(native) }
      return { name, value: spreadOf(ratiosOf(ours, native)), more }
    }),
  }
}

function growthOfWork(samples: readonly Sample[], work: FileWork): Growth {
  const some = samples.filter((sample) => sample.work === work)
  const line = (pick: (sample: Sample) => readonly number[]): LinePoint[] =>
    some.flatMap((one) => (pick(one).length > 0 ? { x: one.megabytes, values: pick(one) } : []))
  return growthOf(
    { id: `io-${work.replaceAll(' ', '-')}`, title: `Time by bytes: ${work}`, x: 'MB', unit: 'ms' },
    { [OURS]: line(({ ours }) => ours), [NATIVE]: line(({ native }) => native) },
  )
}

function readBar(samples: readonly Sample[]): Bar {
  const { ours, native } = samples.find(
    ({ work, megabytes }) => work === 'read lines' && megabytes === 10,
  )!
  return atMost(
    'read 10 MB by lines',
    {
      measured: native.length > 0 ? median(ratiosOf(ours, native)) : undefined,
      limit: MAX_READ_RATIO,
      unit: 'times native',
    },
    `at most ${MAX_READ_RATIO} times native`,
  )
}

function linearBars(samples: readonly Sample[], files: Growth): Bar[] {
  const works = WORK.map((work) => growthOfWork(samples, work))
  const steepest = (growths: readonly Growth[]) =>
    Math.max(...growths.flatMap(({ lines }) => lines.map(({ exponent }) => exponent)))
  const onlyOurs = works.map((one) => ({
    ...one,
    lines: one.lines.filter(({ name }) => name === OURS),
  }))
  const bar = `linear: exponent at most ${LINEAR}`
  return [
    atMost(
      'time by bytes, 1 to 50 MB',
      { measured: steepest(onlyOurs), limit: LINEAR, unit: 'as exponent' },
      bar,
    ),
    atMost(
      'time by files, 1 to 1,000',
      { measured: steepest([files]), limit: LINEAR, unit: 'as exponent' },
      bar,
    ),
  ]
}
