/** Runs the script on standard input N times, then N times again, and prints the memory in use. */
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { runLua } from '../../support/run-lua.ts'

const [warmUps, runs] = process.argv.slice(2).map(Number) as [number, number]
const script = await text(process.stdin)

const before = await memoryAfter(warmUps)
const after = await memoryAfter(runs)
console.info(JSON.stringify({ before, after }))

async function memoryAfter(count: number): Promise<NodeJS.MemoryUsage> {
  for (let i = 0; i < count; i++) await runLua(script)
  // Linear memories are freed by finalizers, which run some time after a collection.
  for (let i = 0; i < 5; i++) {
    globalThis.gc!()
    await pause(20)
  }
  return process.memoryUsage()
}
