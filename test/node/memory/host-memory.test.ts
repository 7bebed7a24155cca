/** What a script makes the host hold stays in proportion to what the script itself may hold. */
import { expect, it } from 'vitest'
import type { runLua } from '../../support/run-lua.ts'
import { onePer } from '../../support/tier.ts'
import { inProcess } from '../in-process.ts'

type Outcome = Awaited<ReturnType<typeof runLua>> & { readonly peakBytes: number }

const MB = 1_000_000
/** Node itself takes about 90 MB, the VM up to 64 MiB. */
const MAX_PEAK_BYTES = 300 * MB

const SCRIPTS: [what: string, script: string][] = [
  [
    'json.encode of one string many times',
    'local s, t = ("x"):rep(1 << 20), {} for i = 1, 600 do t[i] = s end return #json.encode(t)',
  ],
  [
    'a result with one string many times',
    'local s, t = ("x"):rep(1 << 20), {} for i = 1, 600 do t[i] = s end return t',
  ],
  [
    'json.encode of what doubles at every level',
    'local t = {} for i = 1, 100 do t = { t, t } end return #json.encode(t)',
  ],
  [
    'a result that doubles at every level',
    'local t = {} for i = 1, 100 do t = { t, t } end return t',
  ],
  [
    'json.encode of an array of a million',
    'local t = {} for i = 1, 1000000 do t[i] = i end return #json.encode(t)',
  ],
  [
    'a result that is an array of a million',
    'local t = {} for i = 1, 1000000 do t[i] = i end return t',
  ],
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

/** Each in a process of its own. */
it.each(onePer(SCRIPTS, ([what]) => what.split(' ')[0]))(
  '%s does not swell the host',
  async (_, script) => {
    const fuel = 2_500_000_000
    const { exitCode, printed } = await inProcess<Outcome>('memory/run-one.ts', {
      script,
      args: [fuel],
    })
    expect(exitCode).toBe(0)
    expect(printed.peakBytes).toBeLessThan(MAX_PEAK_BYTES)
  },
)
