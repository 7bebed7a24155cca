/** Benchmarks Moonbucket against alternatives: `npm run bench -- --help`. */
import { parseArgs } from 'node:util'
import { installPeers } from './peers.ts'
import { cellsOfBar, cellsOfComparison, cellsOfGrowth, printTable } from './print.ts'
import { say } from './progress.ts'
import { keepPart, PARTS, type Figures, type PartName } from './results.ts'
import { writePage } from './write-page.ts'

const HELP = `Measures Moonbucket beside other ways to run a script, in turns, and writes test/bench/RESULTS.md.

  npm run bench                     everything, in less than ten minutes on two cores
  npm run bench -- --only vm        one part; what was measured of the others stays
  npm run bench -- --only vm,io     several

  vm        a fresh sandbox and seven kinds of work, against other sandboxes
  io        files of 1 to 50 MB and 1 to 1,000 files, against native Lua on disk
  service   requests to the built Worker and the Node server, against bare routes, and a dump
  isolates  a fresh VM against a fresh isolate (Worker Loader) for each script
  cost      dollars per million runs, from what service and isolates measured

The first run installs the packages to compare with (npm ci in test/bench). Native Lua is the system's lua5.4
(Debian: apt-get install lua5.4); whatever is missing is said in its row.
`

/** Imported lazily: the packages they compare with may have to be installed first. */
const MEASURE: Readonly<Record<PartName, () => Promise<Figures>>> = {
  vm: async () => (await import('./parts/vm.ts')).vm(),
  io: async () => (await import('./parts/io.ts')).io(),
  service: async () => (await import('./parts/service.ts')).service(),
  isolates: async () => (await import('./parts/isolates.ts')).isolates(),
  cost: async () => (await import('./parts/cost.ts')).cost(),
}

function print({ comparisons, growths, bars }: Figures): void {
  for (const comparison of comparisons) printTable(comparison.title, cellsOfComparison(comparison))
  for (const growth of growths) printTable(growth.title, cellsOfGrowth(growth))
  if (bars.length > 0) printTable('The bars', bars.map(cellsOfBar))
}

function partsOf(only: readonly string[] | undefined): PartName[] {
  const wanted = only?.flatMap((one) => one.split(','))
  const unknown = wanted?.find((name) => !PARTS.includes(name as PartName))
  if (unknown !== undefined) {
    throw new Error(`There is no part "${unknown}"; the parts are ${PARTS.join(', ')}.`)
  }
  return PARTS.filter((name) => wanted?.includes(name) ?? true)
}

async function bench(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return console.info(HELP)
  const parts = partsOf(values.only)
  if (parts.includes('vm')) installPeers()
  for (const name of parts) {
    say(`part ${name}`)
    const figures = await MEASURE[name]()
    keepPart(name, figures)
    print(figures)
  }
  await writePage()
  say('written: test/bench/results.json, RESULTS.md and charts')
}

try {
  await bench()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
