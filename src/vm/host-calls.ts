/** Dispatches host calls by opcode, and turns what they throw into Lua errors. */
import {
  badArgument,
  HOST_FUNCTIONS,
  OUT_OF_MEMORY,
  RAISE,
  type HostFunctionName,
} from './host-functions.ts'
import { InvalidPath } from '../errors.ts'
import type { Pointer } from './lua-exports.ts'
import { LimitReached, RaisedInLua } from './script-error.ts'
import { OutOfMemory, type LuaMemory } from './strings.ts'

/** Host errors capture a stack trace: about ten microseconds. */
const RAISE_PRICE = 2_500

/** Works on the stack of `L`; returns the number of results. */
export type Call = (L: Pointer) => number

/** Reads arguments before its first await and pushes nothing: the call that follows does. */
type Wait = (L: Pointer) => Promise<void>

/** By name; a function that waits has one of each. */
export interface HostFunctions {
  readonly call: Partial<Record<HostFunctionName, Call>>
  readonly wait: Partial<Record<HostFunctionName, Wait>>
}

/** One per VM: at most one call is in progress. */
export class HostCalls {
  /** The last limit raised; if uncaught, it decides the error kind. */
  lastLimit: string | undefined
  readonly #functions: () => HostFunctions
  readonly #memory: () => LuaMemory
  readonly #spend: (units: number) => void
  #raisedWhileWaiting: unknown

  /** Lazy: imports exist before the VM does. */
  constructor(
    functions: () => HostFunctions,
    memory: () => LuaMemory,
    spend: (units: number) => void,
  ) {
    this.#functions = functions
    this.#memory = memory
    this.#spend = spend
  }

  call(op: number, L: Pointer): number {
    return this.raising(L, () => {
      this.#raiseLate()
      return this.#functions().call[HOST_FUNCTIONS[op]!.name]!(L)
    })
  }

  /** The following call raises the error: nothing may be pushed from here. */
  async wait(op: number, L: Pointer): Promise<number> {
    try {
      await this.#functions().wait[HOST_FUNCTIONS[op]!.name]!(L)
    } catch (error) {
      if (!isCatchable(error)) throw error
      this.#raisedWhileWaiting = error
    }
    return 0
  }

  /** Turns expected exceptions into Lua errors. */
  raising(L: Pointer, call: () => number): number {
    try {
      return call()
    } catch (error) {
      if (error instanceof OutOfMemory) return OUT_OF_MEMORY
      if (!isCatchable(error)) throw error
      this.#spend(RAISE_PRICE)
      if (error instanceof LimitReached) this.lastLimit = error.message
      return this.#pushError(L, error)
    }
  }

  #pushError(L: Pointer, error: RaisedInLua | InvalidPath): number {
    try {
      this.#memory().push(L, error.message)
    } catch (failure) {
      if (failure instanceof OutOfMemory) return OUT_OF_MEMORY
      throw failure
    }
    const argument = error instanceof RaisedInLua ? error.argument : 0
    return argument > 0 ? badArgument(argument) : RAISE
  }

  #raiseLate(): void {
    const raised = this.#raisedWhileWaiting
    this.#raisedWhileWaiting = undefined
    if (raised) throw raised
  }
}

function isCatchable(error: unknown): error is RaisedInLua | InvalidPath {
  return error instanceof RaisedInLua || error instanceof InvalidPath
}
