/** Reads and writes `results.json`, from which the page and charts are made. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { resolve } from 'node:path'
import * as z from 'zod'

export const PARTS = ['vm', 'io', 'service', 'isolates', 'cost'] as const
export type PartName = (typeof PARTS)[number]

const FILE = resolve(import.meta.dirname, 'results.json')

const spread = z.object({ median: z.number(), q1: z.number(), q3: z.number() })

const row = z.object({
  name: z.string(),
  version: z.string().optional(),
  value: spread.optional(),
  /** Relative to ours in the same round. */
  ratio: spread.optional(),
  /** Why there is no value. */
  missing: z.string().optional(),
  more: z.record(z.string(), z.number()).optional(),
})

const comparison = z.object({
  id: z.string(),
  title: z.string(),
  note: z.string().optional(),
  unit: z.string(),
  rounds: z.number(),
  hasChart: z.boolean(),
  rows: z.array(row),
})

const growth = z.object({
  id: z.string(),
  title: z.string(),
  note: z.string().optional(),
  x: z.string(),
  unit: z.string(),
  lines: z.array(
    z.object({
      name: z.string(),
      exponent: z.number(),
      points: z.array(z.object({ x: z.number(), value: spread })),
    }),
  ),
})

const bar = z.object({
  what: z.string(),
  bar: z.string(),
  measured: z.string(),
  /** `null` if it could not be measured. */
  isMet: z.boolean().nullable(),
  /** Why it is not met, as far as known. */
  why: z.string().optional(),
})

const part = z.object({
  measuredAt: z.string(),
  machine: z.object({
    cpu: z.string(),
    cores: z.number(),
    memoryGb: z.number(),
    system: z.string(),
    node: z.string(),
  }),
  comparisons: z.array(comparison),
  growths: z.array(growth),
  bars: z.array(bar),
})

const results = z.partialRecord(z.enum(PARTS), part)

export type Row = z.infer<typeof row>
export type Comparison = z.infer<typeof comparison>
export type Growth = z.infer<typeof growth>
export type Bar = z.infer<typeof bar>
export type Part = z.infer<typeof part>
export type Results = z.infer<typeof results>

/** Time and machine are added. */
export type Figures = Pick<Part, 'comparisons' | 'growths' | 'bars'>

/** Empty before the first run. */
export function readResults(): Results {
  return existsSync(FILE) ? results.parse(JSON.parse(readFileSync(FILE, 'utf8'))) : {}
}

/** Replaces one part and keeps the others. */
export function keepPart(name: PartName, figures: Figures): Results {
  const kept = readResults()
  const all = { ...kept, [name]: { ...whenAndWhere(), ...figures } }
  const inOrder = Object.fromEntries(PARTS.flatMap((one) => (all[one] ? [[one, all[one]]] : [])))
  writeFileSync(FILE, `${JSON.stringify(inOrder, roundNumbers, 2)}\n`)
  return readResults()
}

function whenAndWhere() {
  return {
    measuredAt: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      system: `${type()} ${release()}`,
      node: process.versions.node,
    },
  }
}

/** Insignificant digits would only enlarge diffs. */
function roundNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value
}
