/** Many small writes, against native Lua on disk. */
import { loadLua } from '../../../src/vm/load-node.ts'
import { nativeIn } from '../contestants/native-lua.ts'
import { forgetfulStorage } from '../forgetful-storage.ts'
import { median, ratiosOf, spreadOf, takeTurns, timed, type Turn } from '../measure.ts'
import { say } from '../progress.ts'
import type { Comparison, Row } from '../results.ts'
import { runOnMemory } from '../run-on-memory.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { smallWrites } from '../workloads/file-scripts.ts'

const ROUNDS = 25

/** Without what a VM, or a process of native Lua, takes to start. */
export async function manySmallWrites(): Promise<Comparison> {
  const rows: Row[] = []
  for (const [name, script] of Object.entries(smallWrites)) rows.push(await rowOf(name, script))
  return {
    id: 'io-small',
    title: 'Small writes: time as a multiple of native Lua on disk',
    note: 'Ours writes to a store that copies nothing.',
    unit: 'times native',
    rounds: ROUNDS,
    hasChart: false,
    rows,
  }
}

async function rowOf(name: string, script: string): Promise<Row> {
  say(`files: ${name}`)
  const module = await loadLua()
  const native = nativeIn(tempFolder())
  const storage = forgetfulStorage()
  const turns: Record<string, Turn> = {
    ours: timed(() => runOnMemory(module, script, storage)),
    idle: timed(() => runOnMemory(module, '', storage)),
  }
  if (typeof native === 'function') {
    turns.native = timed(() => native(script))
    turns.nativeIdle = timed(() => native(''))
  }
  const taken = await takeTurns(turns, { rounds: ROUNDS, budgetMs: 6_000, warmUps: 3 })
  const without = (all: readonly number[], idle: readonly number[]) =>
    all.map((ms) => ms - median(idle))
  const ours = without(taken.ours!, taken.idle!)
  if (typeof native !== 'function') {
    return { name, missing: native.missing, more: { 'ours ms': median(ours) } }
  }
  const natives = without(taken.native!, taken.nativeIdle!)
  const more = { 'ours ms': median(ours), 'native ms': median(natives) }
  return { name, value: spreadOf(ratiosOf(ours, natives)), more }
}
