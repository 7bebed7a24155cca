/** What the soak asks for, and what may come of it. */
import { callerOf, type Caller } from '../support/caller.ts'
import type { Answer } from '../support/make-app.ts'

const LINE = 'one line of a kilobyte of text\n'
const KILOBYTE = LINE.repeat(33)
const FOLDER_FILES = 100

const SAVE = `
  local function save(name, mode, text)
    local file = assert(io.open(name, mode))
    assert(file:write(text))
    assert(file:close())
  end
`

interface Ask {
  readonly script: string
  /** How it ends when nothing is wrong; a plain end if not said. */
  readonly ends?: string
  readonly limits?: object
  /** Of the result, when the script gets to its end. */
  readonly isRight?: (result: unknown) => boolean
}

/** Each kind of run; `n` is a number that no other run has. */
export const KINDS: Readonly<Record<string, (n: number) => Ask>> = {
  trivial: () => ({ script: 'return 1 + 1', isRight: (result) => result === 2 }),
  'write 1 KB': (n) => ({
    script: `${SAVE} save("many/${n % FOLDER_FILES}", "w", ("${LINE.trimEnd()}\\n"):rep(33))`,
  }),
  'append to one file': (n) => ({ script: `${SAVE} save("log", "a", "${n}\\n")` }),
  'read back': () => ({
    script: 'return assert(io.open("kept")):read("a")',
    isRight: (result) => result === KILOBYTE,
  }),
  list: () => ({
    script: 'return #assert(io.list("many"))',
    isRight: (result) => (result as number) > 0 && (result as number) <= FOLDER_FILES,
  }),
  'write 1 MB': (n) => ({
    script: `${SAVE} save("large/${n % 10}", "w", ("${LINE.trimEnd()}\\n"):rep(33826))`,
  }),
  error: () => ({ script: 'local t = nil\nreturn t.x', ends: 'runtime' }),
  'fuel kill': () => ({ script: 'while true do end', ends: 'fuel', limits: { fuel: 20_000_000 } }),
  'by MCP': () => ({ script: 'print("by MCP") return 3', isRight: (result) => result === 3 }),
}

/** What the runs above need to find. */
export const PREPARE = `${SAVE}
  save("kept", "w", ("${LINE.trimEnd()}\\n"):rep(33))
  save("many/0", "w", "first")
`

/** A caller of one service. */
export class Client {
  readonly #caller: Caller

  constructor(origin: string) {
    this.#caller = callerOf(() => origin)
  }

  /** How a run of a kind ended: `as expected`, or what was wrong. */
  async run(kind: string, n: number): Promise<string> {
    const ask = KINDS[kind]!(n)
    const { ends = 'ok', isRight = () => true } = ask
    try {
      const answer = kind === 'by MCP' ? await this.#callTool(ask) : await this.execute(ask)
      if (typeof answer === 'string') return answer
      const { error, result } = answer
      if (error && error.kind !== ends) return `${error.kind}: ${error.message}`
      if (!error && ends !== 'ok') return 'ended although it should not'
      return error || isRight(result) ? 'as expected' : `result ${JSON.stringify(result)}`
    } catch (error) {
      return `connection: ${String((error as Error).cause ?? error)}`
    }
  }

  /** The answer, or the status and code of a refusal. */
  async execute({ script, limits }: Ask): Promise<Answer | string> {
    const body = { script, ...(limits && { limits }) }
    const response = await this.#caller.post('soak', '/execute', body)
    if (response.ok) return (await response.json()) as Answer
    const { error } = (await response.json()) as { error: { code: string } }
    return `${response.status} ${error.code}`
  }

  async #callTool({ script }: Ask): Promise<Pick<Answer, 'result' | 'error'> | string> {
    const params = { name: 'execute_script', arguments: { script } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const headers = {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-11-25',
    }
    const response = await this.#caller.post('soak', '/mcp', message, { headers })
    const text = await response.text()
    if (!response.ok) return `${response.status} ${text}`
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
    const { result } = JSON.parse(data) as {
      result?: { structuredContent?: Answer; isError?: boolean; content: { text: string }[] }
    }
    return result?.structuredContent ?? `tool error ${result?.content[0]?.text ?? data}`
  }
}

/** Whether a run whose only file is one says that the store does not have it. */
export function isRefusal(outcome: string): boolean {
  return outcome.startsWith('storage: not everything was stored')
}

/** Why an outcome is no surprise; `undefined` if nothing explains it. */
export function explanationOf(outcome: string, hasFaults: boolean): string | undefined {
  if (outcome === 'as expected') return outcome
  // Documented: a caller is asked to come again when there is no room.
  if (/^(?:503 busy|tool error .*busy)/.test(outcome) || /"code":"busy"/.test(outcome))
    return 'busy'
  if (hasFaults && isRefusal(outcome)) return 'not stored, and told so'
  if (hasFaults && outcome.startsWith('storage: it is not known whether everything was stored'))
    return 'perhaps stored, and told so'
  if (hasFaults && /^runtime: script:\d+: .*Input\/output error$/.test(outcome))
    return 'store down, and told so'
  return undefined
}
