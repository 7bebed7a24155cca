/** Calls of host functions by opcode: finds the function, and turns what it throws into Lua errors. */
import {
  badArgument,
  HOST_FUNCTIONS,
  OUT_OF_MEMORY,
  RAISE,
  type HostFunctionName,
} from './host-functions.ts'
import { InvalidPath } from '../errors.ts'
import type { Pointer } from './lua-exports.ts'
import { LimitReached, RaisedInLua } from './raise.ts'
import { OutOfMemory, type LuaMemory } from './strings.ts'

/** An error of the host notes the stack it was thrown on: about ten microseconds. */
const RAISE_PRICE = 2_500

/** Works on the stack of `L`; answers how many results it left there. */
export type Call = (L: Pointer) => number

/** Reads the arguments before its first await and pushes nothing: that is for the call that follows. */
type Wait = (L: Pointer) => Promise<void>

/** Implementations by name; a function that waits has one of each. */
export interface HostFunctions {
  readonly call: Partial<Record<HostFunctionName, Call>>
  readonly wait: Partial<Record<HostFunctionName, Wait>>
}

/** One per VM: at most one of its calls is under way. */
export class HostCalls {
  /** The message of the last limit that was raised; uncaught, it tells the kind of the failure. */
  lastLimit: string | undefined
  readonly #functions: () => HostFunctions
  readonly #memory: () => LuaMemory
  readonly #spend: (units: number) => void
  #raisedWhileWaiting: unknown

  /** All are asked late: a VM's imports exist before it does. */
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

  /** An error is raised by the call that follows, because nothing may be pushed from here. */
  async wait(op: number, L: Pointer): Promise<number> {
    try {
      await this.#functions().wait[HOST_FUNCTIONS[op]!.name]!(L)
    } catch (error) {
      if (!isCatchable(error)) throw error
      this.#raisedWhileWaiting = error
    }
    return 0
  }

  /** Runs a function for Lua: what it throws on purpose becomes an error that a script may catch. */
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
