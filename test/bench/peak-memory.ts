/** Runs the script on standard input in this process and prints how much memory that took at most. */
import { existsSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { loadLua } from '../../src/vm/load-node.ts'
import { forgetfulStorage } from './forgetful-storage.ts'
import { runOnMemory } from './run-on-memory.ts'

export interface PeakMemory {
  readonly peakBytes: number
  readonly vmBytes: number
}

const STATUS = '/proc/self/status'

const script = await text(process.stdin)
const { memoryBytes } = await runOnMemory(await loadLua(), script, forgetfulStorage())
const peak: PeakMemory = { peakBytes: peakBytes(), vmBytes: memoryBytes }
console.info(JSON.stringify(peak))

/** On Linux the figure of `resourceUsage` begins with what the parent process held. */
function peakBytes(): number {
  const status = existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : ''
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS
  return Number(kilobytes) * 1024
}
