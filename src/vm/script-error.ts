/** How a script failed, as its caller is told. */

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
  /** Where in the script, when that is known. */
  readonly line?: number
  readonly traceback?: string
}

/** A script chooses its messages; whoever reads them should not get megabytes. */
const MAX_MESSAGE_LENGTH = 8192

/** Ends a run from outside of Lua: no Lua code can catch a JavaScript exception. */
export class Killed extends Error {
  readonly kind: ScriptErrorKind

  constructor(kind: ScriptErrorKind, message: string) {
    super(message)
    this.name = 'Killed'
    this.kind = kind
  }
}

/** Reads the line from a message or traceback that names the script, e.g. `script:3: …`. */
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

/** A VM that trapped or overflowed the host's stack, or below which the host itself failed. */
export function brokenVm(cause: unknown): ScriptError {
  // Other messages may tell too much of the host.
  const isEngines = cause instanceof WebAssembly.RuntimeError || cause instanceof RangeError
  const reason = isEngines ? cause.message : 'internal error'
  return { kind: 'runtime', message: shortened(`the script broke the VM (${reason})`) }
}

function shortened(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text
}
