/** `search` over a file of 100 MB, beside GNU grep and plain reading. */
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { parsePath } from '../../../src/files/path.ts'
import { openArea } from '../../../src/files/store/area.ts'
import { CallerFiles } from '../../../src/operations/caller-files.ts'
import { compilePattern } from '../../../src/operations/files/search/line-pattern.ts'
import type { FilePosition } from '../../../src/operations/files/search/search-cursor.ts'
import { FileSearch } from '../../../src/operations/files/search/search-file.ts'
import { folderStorage } from '../../../src/storage/folder/folder.ts'
import { loadLua } from '../../../src/vm/load-node.ts'
import { Random } from '../../support/random.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { atMost } from '../bars.ts'
import { median, ratiosOf, spreadOf, takeTurns, timed, type Turn } from '../measure.ts'
import { say } from '../progress.ts'
import type { Bar, Comparison } from '../results.ts'

const MEGABYTES = 100
const MAX_RATIO = 3
const ROUNDS = 5
const PATTERNS: Readonly<Record<string, string>> = {
  'a word': 'timeout of gateway',
  'two words': 'fatal.*gateway 9[0-9]{2}$',
  'no word': '[0-9]{3}-[0-9]{4}x',
}

export async function searchSpeed(): Promise<{ comparison: Comparison; bars: Bar[] }> {
  say(`search in ${MEGABYTES} MB`)
  const folder = tempFolder()
  writeLog(join(folder, 'log'))
  const owner = { tenant: 'bench', kind: 'default', user: '' } as const
  const files = new CallerFiles({
    storage: folderStorage(folder),
    area: await openArea(owner, { keyPrefix: '', sharedDir: undefined }),
    paths: {},
    maxDepth: 32,
    signal: new AbortController().signal,
  })
  const rows = []
  const bars: Bar[] = []
  for (const [name, pattern] of Object.entries(PATTERNS)) {
    const taken = await takeTurns(
      {
        ours: timed(() => search(files, pattern)),
        reading: timed(() => read(files)),
        grep: timed(() => grep(folder, pattern)),
      } satisfies Record<string, Turn>,
      { rounds: ROUNDS, budgetMs: 20_000 },
    )
    const [ours, reading, native] = [taken.ours, taken.reading, taken.grep].map(median)
    rows.push({
      name: `${name}: ${pattern}`,
      value: spreadOf(ratiosOf(taken.ours, taken.grep)),
      more: { 'ours ms': ours!, 'reading ms': reading!, 'grep ms': native! },
    })
    const limit = MAX_RATIO * native! + reading!
    bars.push(
      atMost(
        `search ${MEGABYTES} MB for ${name}`,
        { measured: ours, limit, unit: 'ms' },
        `at most ${MAX_RATIO} times grep, and reading (${Math.round(limit)} ms)`,
      ),
    )
  }
  const comparison = {
    id: 'io-search',
    title: `Search in ${MEGABYTES} MB: time as a multiple of GNU grep -E`,
    unit: 'times grep',
    rounds: ROUNDS,
    hasChart: false,
    rows,
  }
  return { comparison, bars }
}

function writeLog(path: string): void {
  const random = new Random(1)
  const words = ['timeout', 'gateway', 'retry', 'fatal', 'order', 'customer', 'überweisung', 'ok']
  const file = openSync(path, 'w')
  for (let written = 0; written < MEGABYTES * 1_000_000;) {
    let text = ''
    for (let line = 0; line < 10_000; line++) {
      const at = `2026-11-${random.below(30)}T${random.below(24)}:${random.below(60)}`
      const said = Array.from({ length: 8 }, () => random.pick(words)).join(' ')
      text += `${at} ${said} ${random.below(100_000)}\n`
    }
    written += writeSync(file, text)
  }
  closeSync(file)
}

const LOG = parsePath('log')
const lua = await loadLua()

/** To the end: one answer has room for a few lines only. */
async function search(files: CallerFiles, source: string): Promise<void> {
  const pattern = await compilePattern(source)
  for (let position: FilePosition | null = null; ;) {
    const page = new FileSearch(files, { pattern, lua, context: 0, limit: 1000, until: Infinity })
    const outcome = await page.searchFile((await page.open(LOG, position))!)
    if (typeof outcome === 'string') return
    position = outcome
  }
}

async function read(files: CallerFiles): Promise<void> {
  const { body } = (await files.getStream(LOG))!
  for await (const piece of files.pieces(body)) void piece
}

function grep(folder: string, pattern: string): void {
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  const { error } = spawnSync('grep', ['-cE', pattern, 'log'], {
    cwd: folder,
    env,
    // Into /dev/null it would stop at the first match.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (error) throw error
}
