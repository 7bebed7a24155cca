/** Measures contestants and makes a comparison table. */
import { ratiosOf, spreadOf, takeTurns, type Spread, type Turn, type Turns } from './measure.ts'
import { say } from './progress.ts'
import type { Comparison, Row } from './results.ts'

/** A contestant, or the reason why it cannot run. */
export interface Contestant {
  readonly name: string
  readonly version?: string | undefined
  readonly turn: Turn | { readonly missing: string }
}

/** Values per round. */
export interface Series {
  readonly name: string
  readonly version?: string | undefined
  readonly values: readonly number[] | { readonly missing: string }
  readonly more?: Record<string, number>
}

export interface ComparisonTexts {
  readonly id: string
  readonly title: string
  readonly note?: string
  readonly unit: string
  readonly hasChart?: boolean
}

/** The first contestant is ours. One that fails its trial run becomes a row with the reason. */
export async function compare(
  texts: ComparisonTexts,
  contestants: readonly Contestant[],
  turns: Turns,
): Promise<Comparison> {
  say(texts.title)
  const tried: Contestant[] = []
  for (const contestant of contestants) tried.push(await tryOut(contestant))
  const able = tried.flatMap(({ name, turn }) => (typeof turn === 'function' ? [[name, turn]] : []))
  const figures = await takeTurns(Object.fromEntries(able) as Record<string, Turn>, turns)
  const series = tried.map(({ name, version, turn }) => ({
    name,
    version,
    values: typeof turn === 'function' ? figures[name]! : turn,
  }))
  return comparisonOf(texts, series)
}

/** The first series is ours. */
export function comparisonOf(texts: ComparisonTexts, series: readonly Series[]): Comparison {
  const ours = series[0]!.values as readonly number[]
  const { hasChart = false, ...rest } = texts
  return { ...rest, hasChart, rounds: ours.length, rows: series.map((one) => rowOf(one, ours)) }
}

function rowOf({ name, version, values, more }: Series, ours: readonly number[]): Row {
  const known = { name, ...(version !== undefined && { version }) }
  if ('missing' in values) return { ...known, missing: values.missing }
  const ratio = spreadOf(ratiosOf(values, ours))
  return { ...known, value: spreadOf(values), ratio, ...(more && { more }) }
}

async function tryOut(contestant: Contestant): Promise<Contestant> {
  const { turn } = contestant
  if (typeof turn !== 'function') return contestant
  try {
    await turn()
    return contestant
  } catch (error) {
    return { ...contestant, turn: { missing: reasonOf(error) } }
  }
}

/** The first line only, to fit into a table. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split('\n')[0]!.slice(0, 160)
}

/** `undefined` if the row has no values. */
export function findRow(
  { rows }: Comparison,
  name: string,
): { readonly value: Spread; readonly ratio: Spread } | undefined {
  const { value, ratio } = rows.find((row) => row.name === name) ?? {}
  return value && ratio && { value, ratio }
}
