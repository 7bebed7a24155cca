/** Upload size and startup CPU time on Workers, as measured by wrangler. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { atMost } from '../../bars.ts'
import { spreadOf, type Spread } from '../../measure.ts'
import { say } from '../../progress.ts'
import type { Bar, Comparison } from '../../results.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const MAX_KB = 1500
const MAX_BUSY_MS = 30
const STARTS = 5

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { functionName: string } }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

export function upload(): { comparisons: Comparison[]; bars: Bar[] } {
  say('the size of the upload')
  const kilobytes = uploadKilobytes()
  const busy: number[] = []
  for (let start = 1; start <= STARTS; start++) {
    say(`start-up of the Worker, ${start} of ${STARTS}`)
    busy.push(busyMs())
  }
  const table = (id: string, title: string, unit: string, value: Spread): Comparison => {
    const rows = [{ name: 'the Worker for R2', value }]
    return { id, title, unit, rounds: 1, hasChart: false, rows }
  }
  const { median } = spreadOf(busy)
  return {
    comparisons: [
      table('service-upload', 'Upload', 'KB gzip', spreadOf([kilobytes])),
      table('service-startup', 'Start-up, the time that is not idle', 'ms', spreadOf(busy)),
    ],
    bars: [
      atMost(
        'Worker upload',
        { measured: kilobytes, limit: MAX_KB, unit: 'KB gzip' },
        `at most ${MAX_KB} KB gzip, with what loads on demand`,
      ),
      atMost(
        'busy start-up of the Worker',
        { measured: median, limit: MAX_BUSY_MS, unit: 'ms' },
        `at most ${MAX_BUSY_MS} ms`,
      ),
    ],
  }
}

function uploadKilobytes(): number {
  const folder = tempFolder()
  const said = wrangler(['deploy', '--dry-run', '--env', 'production', '--outdir', folder])
  const kibibytes = /gzip: ([\d.]+) KiB/.exec(said)?.[1]
  if (kibibytes === undefined) throw new Error(`wrangler does not tell the size: ${said}`)
  return (Number(kibibytes) * 1024) / 1000
}

/** Required settings: without them the profile would be of a failed start. */
const SETTINGS = '--var LINK_SECRET:signs-links-of-the-bench --var AUTH_SECRET:verifies-its-tokens'

/** Profiles the top level of `wrangler.toml`, the same Worker: its environments need secrets. */
function busyMs(): number {
  const file = join(tempFolder(), 'start.cpuprofile')
  wrangler(['check', 'startup', `--args=${SETTINGS}`, '--outfile', file])
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile
  const isIdle = new Set(
    nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id),
  )
  // A sample covers the time until the next. Some 15 ms before the first busy sample are the
  // profiler's: an empty Worker has them too.
  const busy = timeDeltas.slice(1).filter((_, i) => !isIdle.has(samples[i]!))
  return busy.reduce((sum, microseconds) => sum + microseconds, 0) / 1000
}

function wrangler(args: readonly string[]): string {
  return execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/wrangler/bin/wrangler.js'), ...args],
    {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        WRANGLER_SEND_METRICS: 'false',
        WRANGLER_HIDE_BANNER: 'true',
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
        WRANGLER_LOG_PATH: join(ROOT, '.wrangler/logs'),
      },
    },
  )
}
