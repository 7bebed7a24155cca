/** Errors of scripts: raised in Lua, where they can be caught, and reported to the caller. */

export const SCRIPT_ERROR_KINDS = [
  'syntax',
  'runtime',
  'fuel',
  'memory',
  'timeout',
  'limit',
  'storage',
  'result',
] as const

export type ScriptErrorKind = (typeof SCRIPT_ERROR_KINDS)[number]

export interface ScriptError {
  readonly kind: ScriptErrorKind
  readonly message: string
  /** The line, if known. */
  readonly line?: number
  readonly traceback?: string
}

/** Bounds messages, which scripts choose. */
const MAX_MESSAGE_LENGTH = 8192

/** Ends a run: Lua cannot catch a JavaScript exception. */
export class Killed extends Error {
  readonly kind: ScriptErrorKind

  constructor(kind: ScriptErrorKind, message: string) {
    super(message)
    this.name = 'Killed'
    this.kind = kind
  }
}

/** `os.exit`, which ends a run as a kill does. */
export class Exit extends Error {
  /** Absent if the script ended well. */
  readonly error: ScriptError | undefined

  constructor(error?: ScriptError) {
    super('os.exit')
    this.name = 'Exit'
    this.error = error
  }
}

/** An uncaught Lua error: only when memory runs out at an awkward place. */
export class Panic extends Error {}

/** Finds the line in a message or traceback, e.g. `script:3: …`. */
export function scriptError(
  kind: ScriptErrorKind,
  message: string,
  traceback?: string,
): ScriptError {
  const line = /^script:(\d+):/.exec(message)?.[1] ?? /\bscript:(\d+):/.exec(traceback ?? '')?.[1]
  return {
    kind,
    message: shortened(message),
    ...(line && { line: Number(line) }),
    ...(traceback && { traceback: shortened(traceback) }),
  }
}

/** The VM trapped or overflowed the host's stack, or the host failed below it. */
export function brokenVm(cause: unknown): ScriptError {
  // Other messages may reveal host details.
  const isEngines = cause instanceof WebAssembly.RuntimeError || cause instanceof RangeError
  const reason = isEngines ? cause.message : 'internal error'
  return { kind: 'runtime', message: shortened(`the script broke the VM (${reason})`) }
}

function shortened(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text
}

/** A host error that is raised in Lua, where a script can catch it. */
export class RaisedInLua extends Error {
  /** The bad argument's position; 0 for none. */
  readonly argument: number

  constructor(message: string, argument = 0) {
    super(message)
    this.name = 'RaisedInLua'
    this.argument = argument
  }
}

/** A catchable limit; uncaught, it ends the run with kind `limit`. */
export class LimitReached extends RaisedInLua {
  constructor(message: string) {
    super(message)
    this.name = 'LimitReached'
  }
}
