/**
 * Upstream's fixes of Lua since the commit that wasmoon's binary was built from (lua/lua be908a7d of
 * November 2022, between 5.4.4 and 5.4.5), each as one edit. Each has scripts in `test/lua/fixes`
 * that give another outcome without it. Fixes of code that no script can reach are left out.
 */
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

/** An edit that does what one upstream commit does. */
export interface LuaFix extends Edit {
  /** The first eight digits of the commit in lua/lua. */
  readonly commit: string
  /** The first release with the fix; `master` if there is none yet. */
  readonly release: string
  /** A later fix that hides this defect too: it shows only where both are left out. */
  readonly coveredBy?: string
}

/** In the order in which they are applied. */
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
