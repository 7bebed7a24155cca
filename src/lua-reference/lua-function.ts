/** Types of the Lua reference. */

/** A function or value. Texts may have code in backquotes. */
export interface LuaFunction {
  /** Such as `io.open`; file methods as `handle:read`. */
  readonly name: string
  /** Parameters and results; `?` marks optional ones. */
  readonly signature: string
  /** One sentence. */
  readonly summary: string
  readonly details?: string
  /** Differences from stock Lua 5.4; absent if none. */
  readonly differs?: string
  /** A complete script. */
  readonly example?: string
  /** Its result as JSON. */
  readonly returns?: string
  /** Its log. */
  readonly prints?: readonly string[]
}

export interface LuaLibrary {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly functions: readonly LuaFunction[]
}

/** Absent from scripts: it is `nil`. */
export interface AbsentName {
  readonly name: string
  /** One sentence: why, and what to use. */
  readonly instead: string
}

/** As written in this folder: names are taken from the signatures. */
interface WrittenLibrary extends Omit<LuaLibrary, 'functions'> {
  /** What differs in each function that does not say so itself. */
  readonly differs?: string
  readonly functions: readonly Omit<LuaFunction, 'name'>[]
}

export function library({ differs, functions, ...about }: WrittenLibrary): LuaLibrary {
  const named = functions.map((entry) => ({
    name: /^[\w.:]+/.exec(entry.signature)![0],
    ...(differs !== undefined && { differs }),
    ...entry,
  }))
  return { ...about, functions: named }
}
