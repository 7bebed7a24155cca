/** Everyone who takes part with a sandbox, by the name their process is started with. */
import { fengari } from './fengari.ts'
import { isolatedVm } from './isolated-vm.ts'
import { justBash } from './just-bash.ts'
import { bareInstanceOfOurs, moonbucket } from './moonbucket.ts'
import { nativeLua } from './native-lua.ts'
import { quickjsEmscripten } from './quickjs-emscripten.ts'
import { quickjsWasi } from './quickjs-wasi.ts'
import type { Sandbox } from './sandbox.ts'
import { wasmoon } from './wasmoon.ts'

/** The first is ours. */
export const SANDBOXES: readonly Sandbox[] = [
  moonbucket,
  wasmoon,
  quickjsWasi,
  quickjsEmscripten,
  isolatedVm,
  fengari,
  nativeLua,
]

/** These only start. */
export const STARTERS: readonly Sandbox[] = [bareInstanceOfOurs, justBash]
