/** Vitest global setup: builds generated files before any test loads them. */
import { prepare } from '../../infra/build/prepare.ts'
import { buildDamagedLua } from './damage-lua.ts'
import { RUN_FOLDER } from './made-once.ts'
import { tempFolder } from './temp-folder.ts'

/** Vitest loads and calls this once per project. */
const shared = globalThis as { prepared?: Promise<void> }

export default function setup(): Promise<void> {
  return (shared.prepared ??= build())
}

async function build(): Promise<void> {
  // If a promise never settles, Node exits, and Vitest would report success.
  process.exitCode = 1
  await prepare()
  buildDamagedLua()
  // Every process of the tests inherits it.
  process.env[RUN_FOLDER] = tempFolder()
  process.exitCode = undefined
}
