/** How a request's time grows with bytes, files and concurrent callers. */
import { growthOf, type LinePoint } from '../../growth.ts'
import { load, type Send } from '../../load.ts'
import { takeTurns, timed } from '../../measure.ts'
import { say } from '../../progress.ts'
import type { Growth } from '../../results.ts'
import type { Service } from '../../start-services.ts'
import { FILE_WORK, filesScript } from '../../workloads/file-scripts.ts'

const MEGABYTES = [1, 3, 10, 30]
const FILES = [1, 10, 100]
const CALLERS = [1, 4, 16, 64]
const REQUESTS_EACH = 8

export async function growths(product: Service): Promise<Growth[]> {
  const execute = (script: string) => product.post('/execute', { script })
  return [
    growthOf(
      { id: 'service-bytes', title: 'Time by bytes written in lines', x: 'MB', unit: 'ms' },
      {
        'POST /execute': await line('MB', MEGABYTES, (n) => execute(FILE_WORK['write lines'](n))),
      },
    ),
    growthOf(
      { id: 'service-files', title: 'Time by files of 1 KB written', x: 'files', unit: 'ms' },
      { 'POST /execute': await line('files', FILES, (n) => execute(filesScript(n).write)) },
    ),
    growthOf(
      {
        id: 'service-callers',
        title: `Time until all callers have their answers, ${REQUESTS_EACH} trivial scripts each`,
        note: 'Local workerd is one thread: an exponent of 1 means that more callers cost nothing but their own work.',
        x: 'callers',
        unit: 'ms',
      },
      {
        'POST /execute': await line('callers', CALLERS, (atOnce) => {
          const send = execute('return 1+1')
          return async () => void (await load(send, { requests: atOnce * REQUESTS_EACH, atOnce }))
        }),
      },
    ),
  ]
}

/** Sizes take turns, so that a slow minute does not bend the line. */
async function line(
  unit: string,
  sizes: readonly number[],
  workOf: (size: number) => Send,
): Promise<LinePoint[]> {
  say(`growth of a request with ${unit}: ${sizes.join(', ')}`)
  const turns = Object.fromEntries(sizes.map((size) => [`at ${size}`, timed(workOf(size))]))
  const times = await takeTurns(turns, { rounds: 10, budgetMs: 12_000 })
  return sizes.map((size) => ({ x: size, values: times[`at ${size}`]! }))
}
