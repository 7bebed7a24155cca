/** The process of one contestant: garbage and compiled code of the others do not disturb it. */
import { SANDBOXES, STARTERS } from './contestants.ts'
import type { Asked, Told } from './start-process.ts'

const sandbox = [...SANDBOXES, ...STARTERS].find(({ name }) => name === process.argv[2])!
const prepared = sandbox.prepare()
// Told with the first answer.
prepared.catch(() => undefined)

process.on('message', (asked: Asked) => {
  times(asked).then(
    (ms) => tell({ ms }),
    (error: Error) => tell({ failure: error.message }),
  )
})

async function times({ script, result, runs }: Asked): Promise<number[]> {
  const run = await prepared
  const ms: number[] = []
  for (let i = 0; i < runs; i++) {
    const start = performance.now()
    const given = await run(script)
    ms.push(performance.now() - start)
    // Whoever answers something else did not do the work.
    if (Number(given) !== result) throw new Error(`gave ${String(given)} instead of ${result}`)
  }
  return ms
}

function tell(told: Told): void {
  process.send!(told)
}
