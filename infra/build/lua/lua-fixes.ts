/** Upstream fixes missing from wasmoon's Lua, one edit each. */
import {
  allWeakTables,
  anchoredAssignment,
  finalizerCStack,
  finalizerMemory,
  largeStep,
} from './fixes/collector.ts'
import { callLine, comparisonAsIndex, constantFunctionLine } from './fixes/compiler.ts'
import { concatOverflow, emptyRepetition, gmatchDepth } from './fixes/strings.ts'
import {
  errorInErrorHandling,
  forgottenHandler,
  globalNames,
  namesWithoutRecursion,
  roomToFindNames,
  zeroDivisorLine,
} from './fixes/errors.ts'
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
