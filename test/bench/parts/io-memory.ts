/** Peak memory of a run in its own process, relative to one that writes almost nothing. */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { atMost } from '../bars.ts'
import { median } from '../measure.ts'
import type { PeakMemory } from '../peak-memory.ts'
import { say } from '../progress.ts'
import type { Bar, Comparison, Row } from '../results.ts'
import { FILE_WORK, filesScript } from '../workloads/file-scripts.ts'

const MB = 1_000_000
const TIMES = 7
/** The baseline: includes what every run with files needs, but almost no content. */
const SMALL_MB = 0.01
/** Times the buffered bytes; the VM's own growth is added. */
const FACTOR = 1.3

/** Only these have a target: below, everything else outweighs the content. */
const JUDGED_FROM_MB = 10

const RUNS = [
  ...[1, 10, 50].map((megabytes) => ({
    name: `write lines, ${megabytes} MB`,
    script: FILE_WORK['write lines'](megabytes),
    megabytes,
  })),
  ...[100, 1000].map((files) => ({
    name: `write ${files} files of 1 KB`,
    script: filesScript(files).write,
    megabytes: (files * 1024) / MB,
  })),
]

export async function peakMemory(): Promise<{ comparison: Comparison; bars: Bar[] }> {
  const small = peakOf(FILE_WORK['write lines'](SMALL_MB))
  const rows = RUNS.map(({ name, script, megabytes }): Row => {
    say(`memory: ${name}`)
    const { peakBytes, vmBytes } = peakOf(script)
    const vmMb = (vmBytes - small.vmBytes) / MB
    const above = Math.max(0, (peakBytes - small.peakBytes) / MB)
    const more = { 'VM grew by MB': vmMb, 'allowed MB': vmMb + FACTOR * megabytes }
    return { name, value: { median: above, q1: above, q3: above }, more }
  })
  return {
    comparison: {
      id: 'io-memory',
      title: 'Peak memory above a run that writes 10 KB',
      note: `Resident bytes of a process that runs one script, the middle one of ${TIMES}. Allowed is what the VM grew by and ${FACTOR} times what the script wrote.`,
      unit: 'MB',
      rounds: TIMES,
      hasChart: false,
      rows,
    },
    bars: RUNS.flatMap(({ name, megabytes }, i) =>
      megabytes < JUDGED_FROM_MB ? [] : barOf(name, rows[i]!),
    ),
  }
}

function barOf(name: string, { value, more }: Row): Bar {
  return atMost(
    `peak memory, ${name}`,
    { measured: value!.median, limit: more!['allowed MB']!, unit: 'MB' },
    `at most the VM + ${FACTOR} times the bytes (${more!['allowed MB']!.toFixed(1)} MB)`,
  )
}

function peakOf(script: string): PeakMemory {
  const child = resolve(import.meta.dirname, '../peak-memory.ts')
  const seen = Array.from({ length: TIMES }, () => {
    const printed = execFileSync(process.execPath, [child], { input: script, encoding: 'utf8' })
    return JSON.parse(printed) as PeakMemory
  })
  return {
    peakBytes: median(seen.map(({ peakBytes }) => peakBytes)),
    vmBytes: median(seen.map(({ vmBytes }) => vmBytes)),
  }
}
