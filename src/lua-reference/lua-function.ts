/** How the reference of what scripts can use is written down. */

/** One function, or one value, that scripts can use. In texts, what stands in backquotes is code. */
export interface LuaFunction {
  /** As scripts write it, such as `io.open`; a method of files as `handle:read`. */
  readonly name: string
  /** What it takes and gives; `?` marks what may be left out. */
  readonly signature: string
  /** One sentence. */
  readonly summary: string
  readonly details?: string
  /** Where it is not what a stock Lua 5.4 has; nothing where it is the same. */
  readonly differs?: string
  /** A whole script. */
  readonly example?: string
  /** The result of that script, as the JSON of an answer. */
  readonly returns?: string
  /** What that script leaves in the logs. */
  readonly prints?: readonly string[]
}

/** Functions that belong together. */
export interface LuaLibrary {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly functions: readonly LuaFunction[]
}

/** What stock Lua has and scripts do not: it is `nil`. */
export interface AbsentName {
  readonly name: string
  /** One sentence: why, and what to use. */
  readonly instead: string
}
