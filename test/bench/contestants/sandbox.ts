/** The interface of contestants: runs each script in a fresh sandbox. */

type Language = 'lua' | 'javascript' | 'bash'

export interface Sandbox {
  readonly name: string
  readonly version: string
  readonly language: Language
  /** If false, Lua scripts that need JSON include an implementation in Lua. */
  readonly hasJson?: boolean
  /**
   * Creates whatever scripts can share. Each call of the returned function creates a fresh sandbox,
   * runs the script, disposes of the sandbox and returns the result.
   *
   * @throws if it cannot run here, with the reason.
   */
  prepare(): Promise<(script: string) => unknown>
}
