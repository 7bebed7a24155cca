/** Runs one contestant in its own process, isolated from the others' garbage and compiled code. */
import { SANDBOXES, STARTERS } from './contestants.ts'
import type { Asked, Told } from './start-process.ts'

const sandbox = [...SANDBOXES, ...STARTERS].find(({ name }) => name === process.argv[2])!
const prepared = sandbox.prepare()
// A failure is reported with the first answer.
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
    // A wrong result means the work was not done.
    if (Number(given) !== result) throw new Error(`gave ${String(given)} instead of ${result}`)
  }
  return ms
}

function tell(told: Told): void {
  process.send!(told)
}
