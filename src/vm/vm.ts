/** A Lua VM: a WebAssembly instance with its own memory, used for one run only. */
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Ending } from '../lib/abort.ts'
import { promising, Waits } from './suspend.ts'
import { writeRandom } from './system/entropy.ts'
import { FuelTank } from './limits/fuel-tank.ts'
import { HostCalls, type HostFunctions } from './host-calls.ts'
import { HOST_FUNCTIONS } from './host-functions.ts'
import { fileErrorText } from './system/errno.ts'
import { MAX_JSON_BYTES } from './json/json-codes.ts'
import { JsonCodec } from './json/json-codec.ts'
import { assertMayStore, assertRoomLeft } from './library/files.ts'
import { pushFileError, scriptLibrary } from './library/library.ts'
import type { RunHost } from './library/library-host.ts'
import {
  exportsOf,
  forgetExports,
  LUA_STATUS,
  STDOUT,
  type LuaExports,
  type Pointer,
} from './lua-exports.ts'
import { giveMemory, takeMemory } from './limits/memories.ts'
import { growMemory, grownBytes } from './limits/memory-size.ts'
import { brokenVm, Panic, scriptError, type ScriptError } from './script-error.ts'
import { ScriptFrame, type ScriptResult } from './script-frame.ts'
import { LuaMemory } from './strings.ts'
import { syscalls } from './system/syscalls.ts'
import { timeCalls } from './system/calendar.ts'
import { WriteBudget } from './system/write-budget.ts'

const RANDOM_STATE_BYTES = 32

export interface VmOptions extends RunHost {
  /** Fuel per slice; by default a few milliseconds' worth. */
  readonly fuelSlice?: number | undefined
  readonly now: () => Date
  /**
   * Aborts with {@link Killed} at the deadline, or when the caller disconnects. The files get the
   * same.
   */
  readonly ending: Ending
}

export interface VmOutcome {
  /** Absent if the script failed. */
  readonly result?: ScriptResult
  /** What was replaced because JSON cannot represent it. */
  readonly replaced: readonly string[]
  readonly error?: ScriptError
  /** Why the VM broke; for the log only. */
  readonly fault?: unknown
}

/** Fresh per run: scripts leave traces in globals and the heap. Must be closed. */
export class Vm {
  readonly #options: VmOptions
  readonly #lua: LuaExports
  readonly #memory: LuaMemory
  readonly #json: JsonCodec
  readonly #budget: WriteBudget
  readonly #calls = new HostCalls(
    () => this.#functions,
    () => this.#memory,
    (units) => this.#fuel.spend(units),
  )
  readonly #waits: Waits
  readonly #fuel: FuelTank
  readonly #stackPointer: number
  #frame: ScriptFrame | undefined
  #functionsInUse: HostFunctions | undefined
  #lostWrite: ScriptError | undefined
  #fault: unknown
  /** By itself: nothing of the script is left on a stack, as it is after a kill. */
  #hasReturned = false
  #isReleased = false
  /** Reserves host memory for the result. */
  #resultBytes = 0

  constructor(module: WebAssembly.Module, options: VmOptions) {
    this.#options = options
    this.#waits = new Waits(() => this.#fuel, options.ending)
    const linear = takeMemory()
    const lua = exportsOf(new WebAssembly.Instance(module, this.#imports(linear)))
    this.#lua = lua
    this.#memory = new LuaMemory(lua)
    this.#json = new JsonCodec(lua, this.#memory)
    this.#budget = new WriteBudget(lua, this.#memory, options.limits.writeBytes)
    this.#stackPointer = lua.stack_pointer.value

    this.#fuel = new FuelTank(lua, options.limits.fuel, options.fuelSlice)
    writeRandom(this.#memory.bytes, lua.random_state.value, RANDOM_STATE_BYTES)
  }

  /** Never more than the budget. */
  get fuelUsed(): number {
    return this.#fuel.used
  }

  /** Current linear memory. */
  get memoryBytes(): number {
    return this.#lua.memory.buffer.byteLength
  }

  /** Its share of the common memory, including its write credit. */
  get heldBytes(): number {
    if (this.#isReleased) return 0
    return this.memoryBytes + this.#budget.creditBytes + this.#resultBytes
  }

  /** Runs the script; afterwards all output has left the VM. */
  async run(script: Uint8Array, argsJson?: string): Promise<VmOutcome> {
    const { access } = this.#options
    const lua = this.#lua
    const frame = new ScriptFrame(lua, this.#memory, this.#json, this.#fuel, access, argsJson)
    this.#frame = frame
    const failure = await this.#execute(script)
    const error = failure ?? frame.error ?? this.#lostWrite
    return {
      ...(frame.result !== undefined && { result: frame.result }),
      replaced: frame.replaced,
      ...(error && { error }),
      ...(this.#fault !== undefined && { fault: this.#fault }),
    }
  }

  /** Cuts the script off from its files, should it ever continue. */
  close(): void {
    this.#waits.end()
    if (!this.#hasReturned || this.#fault !== undefined) return
    this.#isReleased = giveMemory(this.#lua.memory)
    if (this.#isReleased) forgetExports(this.#lua)
  }

  async #execute(script: Uint8Array): Promise<ScriptError | undefined> {
    try {
      const status = await this.#start(this.#memory.allocate(script), script.length)
      this.#hasReturned = true
      return status === LUA_STATUS.ok
        ? undefined
        : this.#frame!.failure(status, this.#calls.lastLimit)
    } catch (cause) {
      return this.#ended(cause)
    }
  }

  async #start(script: Pointer, bytes: number): Promise<number> {
    this.#lua.below_host.value = 0
    try {
      return await promising(this.#lua.run)(script, bytes, this.#frame!.needsSetUp ? 1 : 0)
    } finally {
      // From here on the host calls Lua, where nothing can wait for memory.
      this.#lua.below_host.value = 1
    }
  }

  #ended(cause: unknown): ScriptError | undefined {
    try {
      const stopped = this.#frame!.stopped(cause)
      this.#flush()
      return stopped
    } catch (fault) {
      // A broken VM's memory is not trusted, nor its open files.
      this.#fault = fault
      this.#options.files.abandonOpen()
      return brokenVm(fault)
    }
  }

  /** Flushes C buffers after a kill; otherwise the module does it. */
  #flush(): void {
    this.#lua.stack_pointer.value = this.#stackPointer
    this.#fuel.lend(() => this.#lua.fflush(0))
  }

  /** At the end of a slice; returns whether to re-enter the script. */
  #refuel(): MaybePromise<number> {
    this.#fuel.startSlice()
    const answer = this.#fuel.isEntryDue ? 1 : 0
    return this.#fuel.isPauseDue ? this.#pause().then(() => answer) : answer
  }

  /** Flushes logs, yields to the event loop, and ends a dead run. */
  async #pause(): Promise<void> {
    this.#fuel.lend(() => this.#lua.fflush(STDOUT))
    this.#options.files.storeClosed()
    await this.#waits.letOthersWork()
  }

  /** Pushes why a file cannot be read whole; returns the number of values. */
  #refuseAll(L: Pointer, fd: number): number {
    const { files, limits } = this.#options
    const isStandardStream = fd <= 2
    if (isStandardStream || files.unreadBytes(fd) <= limits.residentBytes) return 0
    return pushFileError(this.#lua, this.#memory, L, files.pathOf(fd) ?? '?', 'EFBIG')
  }

  /** Created on first use: few scripts need it. */
  get #functions(): HostFunctions {
    return (this.#functionsInUse ??= scriptLibrary({
      ...this.#options,
      lua: this.#lua,
      memory: this.#memory,
      json: this.#json,
      budget: this.#budget,
      fuel: this.#fuel,
      noteLimit: (message) => {
        this.#calls.lastLimit = message
      },
    }))
  }

  #call(op: number, L: Pointer): number {
    switch (HOST_FUNCTIONS[op]!.name) {
      case '[json part]':
        this.#json.takePart()
        return 0
      case '[set up]':
        return this.#calls.raising(L, () => this.#frame!.setUp(L))
      case '[take result]':
        return this.#calls.raising(L, () => this.#frame!.takeResult(L, this.#resultBytes))
      case '[trace back]':
        return this.#calls.raising(L, () => this.#frame!.traceBack(L))
      default:
        return this.#calls.call(op, L)
    }
  }

  #wait(op: number, L: Pointer): MaybePromise<number> {
    if (HOST_FUNCTIONS[op]!.name !== '[take result]') return this.#calls.wait(op, L)
    const { files, access, limits, room } = this.#options
    if (this.#frame!.takeShortResult(L, Math.min(MAX_JSON_BYTES, limits.resultBytes))) return 1
    // It becomes a file, or nothing.
    const bytes = access.canWrite ? Math.min(MAX_JSON_BYTES, files.freeBytes) : 0
    return room.grow(bytes, () => {
      this.#resultBytes = bytes
      return 0
    })
  }

  /** Write credit ran out: raises at the limit, or waits for memory and for parts to leave. */
  #spend(L: Pointer, first: number, last: number): MaybePromise<number> {
    const { files, limits, room } = this.#options
    let bytes = 0
    const answer = this.#calls.raising(L, () => {
      assertRoomLeft(files)
      bytes = this.#budget.creditFor(L, first, last)
      assertMayStore({ files, limits, fuel: this.#fuel }, bytes)
      return 0
    })
    if (answer < 0) return answer
    return andThen(files.prepareWrites(bytes), () =>
      room.grow(bytes, () => {
        this.#budget.giveCredit(bytes)
        return 0
      }),
    )
  }

  /** The C heap grows where it cannot wait: the run waits at its next request. */
  #resizeNow(bytes: number): number {
    return growMemory(this.#lua.memory, bytes, this.#options.limits.memoryBytes)
  }

  #resizeWhenRoom(bytes: number): MaybePromise<number> {
    const { room, limits } = this.#options
    const grown = grownBytes(this.#lua.memory, bytes, limits.memoryBytes)
    return room.grow(grown, () => this.#resizeNow(bytes))
  }

  /** Host work that may call into the VM. */
  #below<T>(work: () => T): T {
    const { below_host: belowHost } = this.#lua
    const before = belowHost.value
    belowHost.value = 1
    try {
      return work()
    } finally {
      belowHost.value = before
    }
  }

  #imports(linear: WebAssembly.Memory): WebAssembly.Imports {
    const memory = () => this.#memory
    const waits = this.#waits
    const { waiting, immediate } = syscalls({
      files: this.#options.files,
      logs: this.#options.logs,
      memory,
      flushStdout: () => void this.#lua.fflush(STDOUT),
      countWritten: (bytes) => this.#budget.count(bytes),
      access: this.#options.access,
      moved: (bytes) => this.#fuel.spendCopy(bytes),
      lostWrite: (path, { code }, bytes) => {
        const text = `${path}: ${fileErrorText(code)}`
        this.#options.logs.note(`warning: ${text}: ${bytes} bytes were not written`)
        // The row of a file that could not be stored says so.
        if (code !== 'EIO' && code !== 'EDQUOT') this.#lostWrite ??= scriptError('limit', text)
      },
    })
    return {
      host: {
        memory: linear,
        call: (op: number, L: Pointer) => this.#below(() => this.#call(op, L)),
        wait: waits.suspending((op: number, L: Pointer) => this.#below(() => this.#wait(op, L))),
        // Not charged: time depends on the clock and on others, and fuel must not.
        refuel: waits.suspending(() => this.#refuel(), 0),
        spend: waits.suspending(
          (L: Pointer, first: number, last: number) =>
            this.#below(() => this.#spend(L, first, last)),
          0,
        ),
        resize: waits.suspending((bytes: number) => this.#resizeWhenRoom(bytes >>> 0), 0),
        read_all: (L: Pointer, fd: number) =>
          this.#below(() => this.#calls.raising(L, () => this.#refuseAll(L, fd))),
      },
      env: {
        ...timeCalls(memory, this.#options.now),
        __syscall_openat: waits.suspending(waiting.__syscall_openat),
        __syscall_unlinkat: waits.suspending(waiting.__syscall_unlinkat),
        __syscall_renameat: waits.suspending(waiting.__syscall_renameat),
        emscripten_resize_heap: (bytes: number) => this.#resizeNow(bytes >>> 0),
        abort: () => {
          throw new Panic()
        },
      },
      wasi_snapshot_preview1: { fd_read: waits.suspending(waiting.fd_read), ...immediate },
    }
  }
}
