/** All sandboxes, by the name their process is started with. */
import { fengari } from './fengari.ts'
import { isolatedVm } from './isolated-vm.ts'
import { justBash } from './just-bash.ts'
import { bareInstanceOfOurs, moonbucket } from './moonbucket.ts'
import { nativeLua } from './native-lua.ts'
import { quickjsEmscripten } from './quickjs-emscripten.ts'
import { quickjsWasi } from './quickjs-wasi.ts'
import type { Sandbox } from './sandbox.ts'
import { wasmoon } from './wasmoon.ts'

/** Ours first. */
export const SANDBOXES: readonly Sandbox[] = [
  moonbucket,
  wasmoon,
  quickjsWasi,
  quickjsEmscripten,
  isolatedVm,
  fengari,
  nativeLua,
]

/** Measured for startup only. */
export const STARTERS: readonly Sandbox[] = [bareInstanceOfOurs, justBash]
