/** The end of a script by its own hand. What native Lua does too: test/lua/cases/process.lua. */
import { describe, expect, it } from 'vitest'
import { runLua } from '../../support/run-lua.ts'
import { storageWith, textsIn } from '../../support/seeded-storage.ts'

describe('os.exit', () => {
  it.each(['', 'nil', 'true', '0', '0.0', '"0"', 'true, true'])(
    'with (%s) ends the run well, without a result',
    async (status) => {
      const { result, error, logs } = await runLua(`print(1) os.exit(${status}) print(2) return 3`)
      expect({ result, error, logs }).toEqual({ result: null, error: undefined, logs: ['1'] })
    },
  )

  it.each([
    ['false', 'false'],
    ['1', '1'],
    ['256', '256'],
    ['-1', '-1'],
    ['math.maxinteger', '9223372036854775807'],
  ])('with (%s) ends it with an error', async (status, shown) => {
    const { result, error, logs } = await runLua(`print(1)\nos.exit(${status})\nprint(2)`)
    expect({ result, logs }).toEqual({ result: null, logs: ['1'] })
    expect(error).toEqual({
      kind: 'runtime',
      message: `the script ended itself with os.exit(${shown})`,
      line: 2,
      traceback: "stack traceback:\n\t[C]: in function 'os.exit'\n\tscript:2: in main chunk",
    })
  })

  it.each([true, false])('with %s stores what was written, buffered or closed', async (status) => {
    const storage = await storageWith({})
    const script = `
      io.open("closed.txt", "w"):write("closed"):close()
      local open = io.open("open.txt", "w")
      open:write("open")
      io.write("half a line")
      os.exit(${status})`
    const { logs, files } = await runLua(script, { storage })
    expect(logs).toEqual(['half a line'])
    expect(files.map(({ name }) => name)).toEqual(['closed.txt', 'open.txt'])
    expect(await textsIn(storage)).toEqual({ 'closed.txt': 'closed', 'open.txt': 'open' })
  })
})
