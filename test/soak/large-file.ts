/**
 * One large file written in lines, in series: `npm run soak -- --large 1024` (MiB). On a Worker with R2, and on the
 * Node server with S3.
 */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../infra/root.ts'
import { settingsFor, writeLarge, type LargeWrite } from '../node/memory/large-write.ts'
import { watchIsolate } from '../node/memory/watch-isolate.ts'
import { startWorker } from '../node/start-worker.ts'
import { startNode } from '../runtime/start-node.ts'
import { callerOf } from '../support/caller.ts'
import { residentBytes } from './workerd-memory.ts'

const MB = 1_000_000
const FIRST_MIB = 256
/** The platform's isolate, whatever the size of the file. */
const ISOLATE_BYTES = 128 * MB
/** What the Node server may take beside what it takes for the smallest file of the series. */
const NODE_MARGIN_BYTES = 96 * MB
const PAUSE_MS = 50

/** Returns what is wrong. */
export async function soakLargeFile(maxMib: number): Promise<string[]> {
  const problems: string[] = []
  let smallest = Infinity
  for (let mib = Math.min(FIRST_MIB, maxMib); mib <= maxMib; mib *= 2) {
    const onR2 = await writeOnR2(mib)
    tell('R2', mib, onR2)
    if (onR2.peak > ISOLATE_BYTES) problems.push(`R2: ${mib} MiB take ${mb(onR2.peak)}`)
    const onS3 = await writeOnNode(mib)
    tell('Node and S3', mib, onS3)
    smallest = Math.min(smallest, onS3.peak)
    if (onS3.peak > smallest + NODE_MARGIN_BYTES)
      problems.push(`Node: ${mib} MiB take ${mb(onS3.peak - smallest)} more`)
  }
  return problems
}

/** Of the isolate: objects, buffers, and memories of WebAssembly. */
export async function writeOnR2(mib: number): Promise<LargeWrite> {
  const worker = await startWorker({
    entry: resolve(ROOT, 'test/node/memory/measured-worker.ts'),
    isInspected: true,
    vars: settingsFor(mib),
  })
  try {
    const caller = callerOf(() => worker.origin)
    return await writeLarge(caller, mib, async () => watchIsolate(await worker.inspectorUrl()))
  } finally {
    await worker.stop()
  }
}

/** Of the whole process. */
export async function writeOnNode(mib: number): Promise<LargeWrite> {
  const server = await startNode(settingsFor(mib))
  try {
    const caller = callerOf(() => server.origin, crypto.randomUUID())
    return await writeLarge(caller, mib, async () => watchProcess(server.process.pid!))
  } finally {
    await server.stop()
  }
}

function watchProcess(pid: number) {
  let peak = residentBytes(pid)
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      peak = Math.max(peak, residentBytes(pid))
      await sleep(PAUSE_MS)
    }
  })()
  return {
    now: async () => residentBytes(pid),
    async end(): Promise<number> {
      over.abort()
      await watching
      return peak
    },
  }
}

function tell(name: string, mib: number, { mibPerS, before, peak, after }: LargeWrite): void {
  const memory = `memory ${mb(before)} before, ${mb(peak)} at most, ${mb(after)} after`
  console.info(`${name}: ${mib} MiB at ${mibPerS.toFixed(1)} MiB/s, ${memory}`)
}

function mb(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`
}
