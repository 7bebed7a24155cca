/** Large files in series, on every service, beside plain uploads of as many bytes. */
import { installCeph } from '../../ceph/install-ceph.ts'
import { nativeIn } from '../../bench/contestants/native-lua.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { dumpOf, linesOf, type LargeFile } from './data.ts'
import { measure } from './measure.ts'
import { onCeph, onR2, onS3, type LargeService } from './services.ts'

const MIB = 1024 * 1024
/** Above what the idle service holds. */
const MAX_GROWTH_BYTES = 64 * MIB
/** Of the rate of the plain upload, and of native Lua where a script makes the bytes. */
const MIN_RATE = 0.7
/** Its rate is that of larger ones. */
const MAX_PLAIN_MIB = 256

const SERVICES = { r2: onR2, s3: onS3, ceph: onCeph }
const KINDS = { lines: linesOf, dump: dumpOf }

export interface SeriesOptions {
  /** Sizes double from the first to the last. */
  readonly firstMib: number
  readonly lastMib: number
  readonly services: readonly string[]
  readonly kinds: readonly string[]
}

/** Returns what is wrong. */
export async function soakLargeFiles(options: SeriesOptions): Promise<string[]> {
  const services = pick(SERVICES, options.services)
  const kinds = pick(KINDS, options.kinds)
  if (services.includes(onCeph)) installCeph()
  const problems: string[] = []
  const rows: object[] = []
  for (let mib = options.firstMib; mib <= options.lastMib; mib *= 2) {
    for (const service of services) {
      for (const kind of kinds) {
        const { row, problem } = await compare(service, kind(mib), kind === linesOf)
        rows.push(row)
        console.info(JSON.stringify(row))
        if (problem) problems.push(problem)
      }
    }
  }
  console.table(rows)
  return problems
}

/** In turns, so that a disturbance meets both. */
async function compare(service: LargeService, file: LargeFile, isByScript: boolean) {
  const { mib } = file
  const plainMib = Math.min(mib, MAX_PLAIN_MIB)
  const first = await service.upload(plainMib)
  const native = isByScript ? nativeSeconds(file) : 0
  const ours = await measure(service, file)
  const second = await service.upload(plainMib)
  const plain = ((first.seconds + second.seconds) / 2) * (mib / plainMib)
  const rate = (plain + native) / ours.seconds
  const grown = ours.peak - ours.before
  const name = `${service.name}: ${mib} MiB ${isByScript ? 'in lines' : 'of pages'}`
  const row = {
    name,
    'MiB/s': round(mib / ours.seconds),
    'plain upload MiB/s': round(mib / plain),
    'native s': round(native),
    'of that rate': Number(rate.toFixed(2)),
    'MiB before': round(ours.before / MIB),
    'at most': round(ours.peak / MIB),
    after: round(ours.after / MIB),
    'fuel 10^6': Math.round(ours.fuel / 1e6),
    'CPU s': ours.cpuSeconds && round(ours.cpuSeconds),
    'of the plain upload': first.cpuSeconds && round(first.cpuSeconds * (mib / plainMib)),
  }
  const isLarge = grown > MAX_GROWTH_BYTES
  const problem = [
    ...(rate < MIN_RATE ? [`${name}: ${row['of that rate']} of the plain rate`] : []),
    ...(isLarge ? [`${name}: takes ${round(grown / MIB)} MiB more than idle`] : []),
  ]
  return { row, problem: problem.join('; ') }
}

/** To disk, without its process's start, which does not matter here. */
function nativeSeconds({ script }: LargeFile): number {
  const native = nativeIn(tempFolder())
  if (typeof native !== 'function') throw new Error(native.missing)
  const start = performance.now()
  native(script)
  return (performance.now() - start) / 1000
}

function pick<T>(all: Readonly<Record<string, T>>, names: readonly string[]): T[] {
  return names.map((name) => {
    const found = all[name]
    if (!found) throw new Error(`"${name}" is none of ${Object.keys(all).join(', ')}`)
    return found
  })
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}
