/** Upstream fixes missing from wasmoon's Lua, one edit each. */
import { allWeakTables } from './fixes/all-weak-tables.ts'
import { anchoredAssignment } from './fixes/anchored-assignment.ts'
import { callLine } from './fixes/call-line.ts'
import { comparisonAsIndex } from './fixes/comparison-as-index.ts'
import { concatOverflow } from './fixes/concat-overflow.ts'
import { constantFunctionLine } from './fixes/constant-function-line.ts'
import { emptyRepetition } from './fixes/empty-repetition.ts'
import { errorInErrorHandling } from './fixes/error-in-error-handling.ts'
import { finalizerCStack } from './fixes/finalizer-c-stack.ts'
import { finalizerMemory } from './fixes/finalizer-memory.ts'
import { forgottenHandler } from './fixes/forgotten-handler.ts'
import { globalNames } from './fixes/global-names.ts'
import { gmatchDepth } from './fixes/gmatch-depth.ts'
import { largeStep } from './fixes/large-step.ts'
import { namesWithoutRecursion } from './fixes/names-without-recursion.ts'
import { roomToFindNames } from './fixes/room-to-find-names.ts'
import { zeroDivisorLine } from './fixes/zero-divisor-line.ts'
import type { Edit } from './wat.ts'

/** An edit equivalent to one upstream commit. */
export interface LuaFix extends Edit {
  /** First eight digits of the commit in lua/lua. */
  readonly commit: string
  /** First release with the fix; `master` if there is none yet. */
  readonly release: string
  /** A later fix that also hides this bug: it shows only without both. */
  readonly coveredBy?: string
}

/**
 * In order of application.
 *
 * Since the commit of wasmoon's binary (lua/lua be908a7d, November 2022, between 5.4.4 and 5.4.5),
 * without fixes of code that no script can reach. Each has scripts in `test/lua/fixes` whose
 * outcome differs without it.
 */
export const LUA_FIXES: readonly LuaFix[] = [
  comparisonAsIndex,
  globalNames,
  namesWithoutRecursion,
  forgottenHandler,
  allWeakTables,
  concatOverflow,
  anchoredAssignment,
  roomToFindNames,
  gmatchDepth,
  zeroDivisorLine,
  callLine,
  errorInErrorHandling,
  emptyRepetition,
  largeStep,
  constantFunctionLine,
  finalizerCStack,
  finalizerMemory,
]
