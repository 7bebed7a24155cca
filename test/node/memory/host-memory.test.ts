/** Host memory used for a script and its API calls stays in proportion to the script's limit. */
import { expect, it } from 'vitest'
import type { runLua } from '../../support/run-lua.ts'
import { everyNth } from '../../support/tier.ts'
import { inProcess } from '../in-process.ts'

type Outcome = Awaited<ReturnType<typeof runLua>> & { readonly peakBytes: number }

const MB = 1_000_000
/** Node itself takes about 90 MB, the VM up to 64 MiB. */
const MAX_PEAK_BYTES = 300 * MB

/** Each of them as JSON and as a result. */
const VALUES = {
  'one string many times': 'local s, t = ("x"):rep(1 << 20), {} for i = 1, 600 do t[i] = s end',
  'what doubles at every level': 'local t = {} for i = 1, 100 do t = { t, t } end',
  'an array of a million': 'local t = {} for i = 1, 1000000 do t[i] = i end',
}

const SCRIPTS: [what: string, script: string][] = [
  ...Object.entries(VALUES).flatMap(([what, make]): [string, string][] => [
    [`json.encode of ${what}`, `${make} return #json.encode(t)`],
    [`a result that is ${what}`, `${make} return t`],
  ]),
  [
    'json.decode of a long string with an escape',
    String.raw`return #json.decode('"\\n' .. ('x'):rep(15000000) .. '"')`,
  ],
  ['json.decode of a long number', 'return json.decode(("1"):rep(15000000)) > 0'],
  ['json.decode of a long array', 'return #json.decode("[" .. ("1,"):rep(1000000) .. "1]")'],
  ['output byte by byte', 'io.stdout:setvbuf("no") for i = 1, 1000000 do io.write("x") end'],
  ['output of empty lines', 'for i = 1, 3000000 do print() end'],
  ['a long error message', 'error(("x"):rep(15000000))'],
  ['a long path', 'return { pcall(io.open, ("x/"):rep(15000000)) }'],
  ['a file with a large hole', 'local f = io.open("f", "w") f:seek("set", 60000000) f:write("x")'],
  [
    '50 MB written in lines',
    'local f = io.open("f", "w") for i = 1, 520000 do f:write(("x"):rep(99), "\\n") end',
  ],
  ['2,000 files', 'for i = 1, 2000 do io.open("f" .. i, "w"):write(("x"):rep(20000)):close() end'],
]

const API_SCRIPTS: [what: string, script: string][] = [
  [
    'one body in many calls',
    'local b, c = ("x"):rep(5000000), {} for i = 1, 2000 do c[i] = {sdk.a.put, {body = b}} end return #sdk.parallel(c)',
  ],
  [
    'one text in the arguments of many calls',
    'local b, c = ("x"):rep(1000000), {} for i = 1, 300 do c[i] = {sdk.a.post, {body = {b}}} end return #sdk.parallel(c)',
  ],
  [
    'very many calls at once',
    'local c = {} for i = 1, 50000 do c[i] = {sdk.a.get} end local r, e = sdk.parallel(c) return e[50000].code',
  ],
  ['a long value for the query', 'return pcall(sdk.a.get, {q = ("%"):rep(10000000)})'],
  ['a long value for a header', 'return pcall(sdk.a.get, {X_Note = ("x"):rep(10000000)})'],
  [
    'many values for the query',
    'local t = {} for i = 1, 500000 do t[i] = i end return pcall(sdk.a.get, {q = t})',
  ],
  ['a long name', 'for i = 1, 20 do pcall(function() return sdk[("x"):rep(10000000)] end) end'],
  [
    'a long name of a parameter',
    'for i = 1, 10 do pcall(sdk.a.get, {[("x"):rep(1000000) .. i] = 1}) end',
  ],
  ['a long question', 'for i = 1, 20 do sdk.search(("get x "):rep(3000000)) end'],
  ['a long topic', 'for i = 1, 20 do pcall(sdk.help, ("a."):rep(5000000)) end'],
  ['a long path', 'return pcall(sdk.a.get, {}, {save_to = ("x/"):rep(5000000)})'],
  ['answers of nothing but lists', 'for i = 1, 4 do pcall(sdk.a.get, {kind = "lists"}) end'],
  ['pages of nothing but lists', 'for p in sdk.pages(sdk.a.get, {kind = "lists"}) do end'],
  ['errors of nothing but tables', 'for i = 1, 4 do pcall(sdk.a.get, {kind = "errors"}) end'],
  [
    'answers that are kept',
    'local t = {} for i = 1, 4 do t[i] = sdk.a.get{kind = "text"} end return #t',
  ],
  ['errors that are made over and over', 'for i = 1, 20000 do pcall(sdk.a.get, {wrong = 1}) end'],
]

/** The engine would leave garbage lie as long as the machine has memory: this is about what is held. */
const SMALL_HEAP = ['--max-old-space-size=128', '--max-semi-space-size=4']

/** Each in a process of its own. */
it.each([...everyNth(7, SCRIPTS), ...everyNth(9, API_SCRIPTS)])(
  '%s does not swell the host',
  async (_, script) => {
    const fuel = 2_500_000_000
    const { exitCode, printed } = await inProcess<Outcome>('memory/run-one.ts', {
      script,
      args: [fuel],
      flags: SMALL_HEAP,
    })
    expect(exitCode).toBe(0)
    expect(printed.peakBytes).toBeLessThan(MAX_PEAK_BYTES)
  },
)
