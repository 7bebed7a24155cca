/** Host errors that are raised in Lua, where a script can catch them. */

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
