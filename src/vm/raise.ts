/** Errors that a host function raises in Lua, where a script may catch them. */

export class RaisedInLua extends Error {
  /** Which argument is wrong; 0 when none is. */
  readonly argument: number

  constructor(message: string, argument = 0) {
    super(message)
    this.name = 'RaisedInLua'
    this.argument = argument
  }
}

/** A limit of the run that a script may catch; uncaught it ends the run with kind `limit`. */
export class LimitReached extends RaisedInLua {
  constructor(message: string) {
    super(message)
    this.name = 'LimitReached'
  }
}
