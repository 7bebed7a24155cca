/** What runs a script in something made for it alone. */

/** In what a contestant's scripts are written. */
type Language = 'lua' | 'javascript' | 'bash'

export interface Sandbox {
  readonly name: string
  readonly version: string
  readonly language: Language
  /** Without a `json` of its own a Lua script brings one along, written in Lua. */
  readonly hasJson?: boolean
  /**
   * What can be kept between scripts is made here, once; each call of what it gives makes a fresh sandbox,
   * runs the script in it, disposes of it and gives what the script returned.
   *
   * @throws where it cannot run here, with the reason.
   */
  prepare(): Promise<(script: string) => unknown>
}
