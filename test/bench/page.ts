/** Renders the results page and its charts, deterministically. */
import { format } from 'prettier'
import { barChart, growthChart } from './charts.ts'
import { cellsOfBar, cellsOfComparison, cellsOfGrowth, type Cells } from './print.ts'
import {
  PARTS,
  type Comparison,
  type Growth,
  type Part,
  type PartName,
  type Results,
} from './results.ts'

const TITLES: Readonly<Record<PartName, string>> = {
  vm: 'The VM',
  io: 'Files',
  service: 'The service',
  isolates: 'A VM or an isolate for each script',
  cost: 'What it costs',
}

const INTRODUCTION = `
# Where Moonbucket stands

Measured by \`npm run bench\`: everybody takes turns on one machine (A B C, A B C …), the figures are medians, and the
middle half of them is told beside. **Times ours** is a contestant’s figure divided by ours of the same round, so ours
is 1: of times, more than 1 is slower than ours; of requests per second, more than 1 is faster. Ratios say more than
milliseconds, which belong to the machine they were measured on.

This page and its charts are made from [results.json](results.json) by \`node test/bench/write-page.ts\`.
`

/** Files for the bench's folder, by name. */
export async function pageFiles(results: Results): Promise<Map<string, string>> {
  const parts = PARTS.flatMap((name) => (results[name] ? [{ name, part: results[name] }] : []))
  const text = [
    INTRODUCTION,
    machines(parts),
    bars(parts.map(({ part }) => part)),
    ...parts.map(({ name, part }) => section(name, part)),
  ].join('\n\n')
  const page = await format(text, {
    parser: 'markdown',
    semi: false,
    singleQuote: true,
    printWidth: 100,
  })
  return new Map([['RESULTS.md', page], ...parts.flatMap(({ part }) => chartsOf(part))])
}

function chartsOf({ comparisons, growths }: Part): [string, string][] {
  const charted = comparisons.filter(({ hasChart }) => hasChart)
  return [
    ...charted.map((one): [string, string] => [chartName(one), barChart(one)]),
    ...growths.map((one): [string, string] => [chartName(one), growthChart(one)]),
  ]
}

function machines(parts: readonly { name: PartName; part: Part }[]): string {
  return table(
    parts.map(({ name, part: { measuredAt, machine } }) => ({
      part: name,
      measured: measuredAt,
      processor: `${machine.cpu}, ${machine.cores} cores`,
      memory: `${machine.memoryGb} GB`,
      system: machine.system,
      Node: machine.node,
    })),
  )
}

function bars(parts: readonly Part[]): string {
  const rows = parts.flatMap((part) => part.bars.map(cellsOfBar))
  const withEmphasis = rows.map((row) => (row.met === 'no' ? { ...row, met: '**no**' } : row))
  const reasons = parts.flatMap((part) =>
    part.bars.flatMap(({ what, isMet, why }) =>
      why && isMet === false ? [`- ${what}: ${why}`] : [],
    ),
  )
  return [
    '## The bars',
    'What we hold ourselves to.',
    table(withEmphasis),
    ...(reasons.length > 0 ? ['Why some are not met:', reasons.join('\n')] : []),
  ].join('\n\n')
}

function section(name: PartName, { comparisons, growths }: Part): string {
  return [
    `## ${TITLES[name]}`,
    ...comparisons.map((one) => block(withRounds(one), cellsOfComparison(one), one.hasChart)),
    ...growths.map((one) => block(one, cellsOfGrowth(one), true)),
  ].join('\n\n')
}

function block(one: Comparison | Growth, cells: readonly Cells[], hasChart: boolean): string {
  return [
    `### ${one.title}`,
    ...(one.note ? [one.note] : []),
    ...(hasChart ? [`![${one.title}](${chartName(one)})`] : []),
    table(cells),
  ].join('\n\n')
}

function withRounds(one: Comparison): Comparison {
  return one.rounds > 1 ? { ...one, note: `${one.note ?? ''} Rounds: ${one.rounds}.`.trim() } : one
}

function chartName({ id }: { readonly id: string }): string {
  return `charts/${id}.svg`
}

function table(rows: readonly Cells[]): string {
  const heads = Object.keys(rows[0] ?? {})
  const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    lineOf(heads.map((head) => head.trim())),
    lineOf(heads.map(() => '---')),
    ...rows.map((row) => lineOf(heads.map((head) => row[head]!.replaceAll('|', '\\|')))),
  ].join('\n')
}
