/** Makes what is not in the repository before any test loads it. */
import { prepare } from '../../infra/build/prepare.ts'
import { buildDamagedLua } from './damage-lua.ts'

/** Vitest loads and calls this anew for every project. */
const shared = globalThis as { prepared?: Promise<void> }

export default function setup(): Promise<void> {
  return (shared.prepared ??= build())
}

async function build(): Promise<void> {
  // A promise that never settles lets Node end, and Vitest would call that a success.
  process.exitCode = 1
  await prepare()
  buildDamagedLua()
  process.exitCode = undefined
}
