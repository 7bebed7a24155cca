/** The APIs of a script as the VM meets them: names and JSON text go out, JSON text or bytes come back. */

/** One call a script makes. */
export interface ApiCall {
  /** `<api>.<function>`, or a function's name alone where only one API has it. */
  readonly name: string
  /** The script's table as JSON text. */
  readonly argsJson: string
  /** `body`, where the script gave a string: its bytes, as they are. */
  readonly body?: Uint8Array<ArrayBuffer> | undefined
  /** The script's second table as JSON text, such as `{"save_to":"output/x.json"}`. */
  readonly optionsJson?: string | undefined
  /** A page to go on from, as an earlier answer named it; 0 asks for the first. */
  readonly page?: number | undefined
}

/** What a script gets for a call. */
export type ApiAnswer =
  | { readonly kind: 'json' | 'bytes'; readonly bytes: Uint8Array; readonly nextPage?: number }
  | { readonly kind: 'nothing'; readonly nextPage?: number }
  /** JSON text of the table that is raised. */
  | { readonly kind: 'error'; readonly bytes: Uint8Array }

/** The files of the run, behind its path gate, its scopes and its budgets. */
export interface ApiFiles {
  /** Looks before anything is sent whether a file can be written at all. @throws what is raised in Lua. */
  assertCanSave?(path: string): void
  /** @throws what is raised in Lua. */
  read(path: string): Promise<Uint8Array>
  /** @throws what is raised in Lua. */
  save(path: string, bytes: Uint8Array): Promise<void>
}

/** What a search found. */
export interface FoundFunctions {
  readonly hitsJson: string
  /** What was not looked at, and why. */
  readonly note?: string | undefined
}

/** Made for one run: budgets and pages are its own. */
export interface ScriptApis {
  /**
   * What a name stands for: an API, or the full name of a function.
   *
   * @throws {RaisedInLua} with the nearest names when there is none, or several.
   */
  find(name: string): { readonly api: string } | { readonly function: string }

  /** @throws {LimitReached} when a budget of the run is spent. */
  call(call: ApiCall, files: ApiFiles): Promise<ApiAnswer>

  /** Functions that fit a question, best first. */
  search(question: string): Promise<FoundFunctions>

  /** What a person would read about an API, a function or a type. @throws {RaisedInLua} */
  help(name: string): Promise<string>
}
