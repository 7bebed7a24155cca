/** What calls to APIs make the host hold, and compute, stays in proportion to what the script itself may. */
import { expect, it } from 'vitest'
import type { runLua } from '../../support/run-lua.ts'
import { onePer } from '../../support/tier.ts'
import { inProcess } from '../in-process.ts'

type Outcome = Awaited<ReturnType<typeof runLua>> & { readonly peakBytes: number }

const MB = 1_000_000
/** Node itself takes about 90 MB, the VM up to 64 MiB. */
const MAX_PEAK_BYTES = 350 * MB

/** Of what there is too much, how, and by which script. */
const CASES: readonly (readonly [kind: string, name: string, script: string])[] = [
  [
    'calls',
    'one body in many calls',
    'local b, c = ("x"):rep(5000000), {} for i = 1, 2000 do c[i] = {sdk.a.put, {body = b}} end return #sdk.parallel(c)',
  ],
  [
    'calls',
    'one text in the arguments of many calls',
    'local b, c = ("x"):rep(1000000), {} for i = 1, 300 do c[i] = {sdk.a.post, {body = {b}}} end return #sdk.parallel(c)',
  ],
  [
    'calls',
    'very many calls at once',
    'local c = {} for i = 1, 50000 do c[i] = {sdk.a.get} end local r, e = sdk.parallel(c) return e[50000].code',
  ],
  ['values', 'a long value for the query', 'return pcall(sdk.a.get, {q = ("%"):rep(10000000)})'],
  [
    'values',
    'a long value for a header',
    'return pcall(sdk.a.get, {X_Note = ("x"):rep(10000000)})',
  ],
  [
    'values',
    'many values for the query',
    'local t = {} for i = 1, 500000 do t[i] = i end return pcall(sdk.a.get, {q = t})',
  ],
  [
    'names',
    'a long name',
    'for i = 1, 20 do pcall(function() return sdk[("x"):rep(10000000)] end) end',
  ],
  [
    'names',
    'a long name of a parameter',
    'for i = 1, 10 do pcall(sdk.a.get, {[("x"):rep(1000000) .. i] = 1}) end',
  ],
  ['questions', 'a long question', 'for i = 1, 20 do sdk.search(("get x "):rep(3000000)) end'],
  ['questions', 'a long topic', 'for i = 1, 20 do pcall(sdk.help, ("a."):rep(5000000)) end'],
  ['names', 'a long path', 'return pcall(sdk.a.get, {}, {save_to = ("x/"):rep(5000000)})'],
  [
    'answers',
    'answers of nothing but lists',
    'for i = 1, 4 do pcall(sdk.a.get, {kind = "lists"}) end',
  ],
  [
    'answers',
    'pages of nothing but lists',
    'for p in sdk.pages(sdk.a.get, {kind = "lists"}) do end',
  ],
  [
    'errors',
    'errors of nothing but tables',
    'for i = 1, 4 do pcall(sdk.a.get, {kind = "errors"}) end',
  ],
  [
    'answers',
    'answers that are kept',
    'local t = {} for i = 1, 4 do t[i] = sdk.a.get{kind = "text"} end return #t',
  ],
  [
    'errors',
    'errors that are made over and over',
    'for i = 1, 20000 do pcall(sdk.a.get, {wrong = 1}) end',
  ],
]

it.each(onePer(CASES, ([kind]) => kind))(
  '%s: %s does not swell the host',
  async (_, __, script) => {
    const { exitCode, printed } = await inProcess<Outcome>('sdk/run-one.ts', {
      script,
      args: [2_500_000_000],
    })
    expect(exitCode).toBe(0)
    expect(printed.peakBytes).toBeLessThan(MAX_PEAK_BYTES)
  },
)
