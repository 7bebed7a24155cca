/** Runs the script on standard input and prints the peak memory of this process. */
import { text } from 'node:stream/consumers'
import { loadLua } from '../../src/vm/load-node.ts'
import { peakBytes } from '../support/peak-bytes.ts'
import { forgetfulStorage } from './forgetful-storage.ts'
import { runOnMemory } from './run-on-memory.ts'

export interface PeakMemory {
  readonly peakBytes: number
  readonly vmBytes: number
}

const script = await text(process.stdin)
const { memoryBytes } = await runOnMemory(await loadLua(), script, forgetfulStorage())
const peak: PeakMemory = { peakBytes: peakBytes(), vmBytes: memoryBytes }
console.info(JSON.stringify(peak))
