/** 10 MB written in lines by a script, against native Lua on disk and one put of the same bytes. */
import { atMost } from '../../bars.ts'
import { comparisonOf } from '../../compare.ts'
import { NATIVE, nativeIn, nativeVersion } from '../../contestants/native-lua.ts'
import { median, takeTurns, timed, type Turn } from '../../measure.ts'
import { say } from '../../progress.ts'
import type { Bar, Comparison } from '../../results.ts'
import type { Service } from '../../start-services.ts'
import { tempFolder } from '../../../support/temp-folder.ts'
import { FILE_WORK } from '../../workloads/file-scripts.ts'

const MEGABYTES = 10
const MOSTLY_THE_PUT =
  'about four fifths of the time is the put into the local bucket, which differs from one time to the next by more than what is missing.'
/** Times native's time; the put is added. */
const FACTOR = 1.1

export async function largeFile({
  product,
  bare,
}: {
  readonly product: Service
  readonly bare: Service
}): Promise<{ comparison: Comparison; bar: Bar }> {
  say(`a script that writes ${MEGABYTES} MB in lines`)
  const script = FILE_WORK['write lines'](MEGABYTES)
  const native = nativeIn(tempFolder())
  const turns: Record<string, Turn> = {
    ours: timed(product.post('/execute', { script })),
    put: timed(bare.post(`/put?bytes=${MEGABYTES * 1_000_000}`, {})),
  }
  if (typeof native === 'function') {
    turns.native = timed(() => native(script))
    turns.idle = timed(() => native(''))
  }
  const times = await takeTurns(turns, { rounds: 20, budgetMs: 15_000, warmUps: 3 })
  const idle = times.idle ? median(times.idle) : 0
  const net = times.native?.map((ms) => ms - idle)
  const comparison = comparisonOf(
    {
      id: 'service-large-file',
      title: `${MEGABYTES} MB in lines into the bucket`,
      note: 'Native Lua writes to disk, without what its process takes to start. The put is that of the bare route.',
      unit: 'ms',
    },
    [
      { name: 'POST /execute', values: times.ours! },
      { name: 'one put of the same bytes', values: times.put! },
      {
        name: NATIVE,
        version: nativeVersion(),
        values: net ?? (native as { missing: string }),
      },
    ],
  )
  // Subtracts the put of the same round: puts vary more between rounds than everything else.
  const aboveThePut = median(times.ours!.map((ms, round) => ms - times.put![round]!))
  const limit = net && FACTOR * median(net)
  const measured = atMost(
    `script that writes ${MEGABYTES} MB in lines and closes`,
    { measured: aboveThePut, limit, unit: 'ms above the put' },
    `at most ${FACTOR} times native${limit === undefined ? '' : ` (${limit.toFixed(1)} ms)`} and one put of the same bytes`,
  )
  const bar = { ...measured, why: MOSTLY_THE_PUT }
  return { comparison, bar }
}
