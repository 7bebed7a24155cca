/** What a script prints becomes log lines: complete, in order, and in time. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lateStorage } from '../../support/late-storage.ts'
import { logsOf } from '../../support/logs-of.ts'
import { runLua } from '../../support/run-lua.ts'
import { storageWith } from '../../support/seeded-storage.ts'

describe('logs', () => {
  it.each([
    ['', []],
    ['print()', ['']],
    ['print("")', ['']],
    ['print("a")', ['a']],
    ['print("a", 1, 2.5, nil, true)', ['a\t1\t2.5\tnil\ttrue']],
    ['print("a\\nb")', ['a', 'b']],
    ['print("a\\n")', ['a', '']],
    ['io.write("a")', ['a']],
    ['io.write("")', []],
    ['io.write("a\\n")', ['a']],
    ['io.write("a", 1, 2.5, "\\n")', ['a12.5']],
    ['io.write("a") io.write("b") io.write("\\n") io.write("c")', ['ab', 'c']],
    ['io.write("a\\nb") io.write("c\\nd")', ['a', 'bc', 'd']],
    ['io.write("\\n\\n") print("x")', ['', '', 'x']],
    ['io.write("a") print("b")', ['ab']],
    ['io.stdout:write("a"):write("b\\n")', ['ab']],
    ['io.stderr:write("a\\n")', ['a']],
    ['io.stderr:write("a")', ['a']],
    ['io.write("a\\n"):write("b\\n")', ['a', 'b']],
    ['print("a\\r") io.write("b\\r\\n")', ['a\r', 'b\r']],
    ['print("a\\rb")', ['a\rb']],
    ['print("a\\0b")', ['a\0b']],
    ['print("é 😀")', ['é 😀']],
    ['io.write("\\xf0\\x9f") io.write("\\x98\\x80\\n")', ['😀']],
    ['print("a\\xffb")', ['a\ufffdb']],
    ['print("\\xf0\\x9f\\x98")', ['\ufffd']],
    ['print("\\u{FEFF}x")', ['\ufeffx']],
    ['print("\\27[31mred")', ['\x1b[31mred']],
    ['print(setmetatable({}, { __tostring = function() return "object" end }))', ['object']],
  ])('of %s are %j', async (script, logs) => {
    expect(await logsOf(script)).toEqual(logs)
  })

  it('contain both streams in order', async () => {
    const script = `
      print("1 out")
      io.stderr:write("2 err\\n")
      io.write("3 out\\n")
      io.stderr:write("4 err\\n")
      io.stdout:write("5 out\\n")
      io.write("6 out, ")
      io.stderr:write("then err\\n")
      print("7 out")
    `
    expect(await logsOf(script)).toEqual([
      '1 out',
      '2 err',
      '3 out',
      '4 err',
      '5 out',
      '6 out, then err',
      '7 out',
    ])
  })

  it.each(['no', 'full', 'line'])('do not depend on the buffer mode %j', async (mode) => {
    const script = `
      io.stdout:setvbuf("${mode}")
      io.write("a")
      io.stderr:write("b")
      io.write("c\\nd")
      print("e")
      io.stdout:flush()
      io.write("f")
    `
    expect(await logsOf(script)).toEqual(['abc', 'de', 'f'])
  })

  it('contain warnings of the script', async () => {
    expect(await logsOf('warn("off") warn("@on") warn("on", "!")')).toEqual(['Lua warning: on!'])
  })

  it('contain lines of 100 KB', async () => {
    const script = `
      local long = ("0123456789"):rep(10240)
      print(long)
      io.write(long, "\\n")
      for i = 1, 10240 do io.write("0123456789") end
      io.write("\\n")
      io.stderr:write(long)
    `
    const long = '0123456789'.repeat(10240)
    expect(await logsOf(script)).toEqual([long, long, long, long])
  })

  it('contain thousands of lines in order', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}`)
    expect(await logsOf('for i = 1, 20000 do print("line " .. i) end')).toEqual(lines)
  })

  it('end at their limit with a line that says how much was dropped', async () => {
    const script = 'for i = 1, 10 do print("123456789") end'
    const { logs, error } = await runLua(script, { limits: { logBytes: 25 } })
    expect(error).toBeUndefined()
    expect(logs).toEqual(['123456789', '123456789', '12345', expect.stringContaining('75 bytes')])
  })

  it('are complete at exactly their limit', async () => {
    const script = 'for i = 1, 2 do print("123456789") end'
    expect(await logsOf(script, { limits: { logBytes: 20 } })).toEqual(['123456789', '123456789'])
  })
})

describe('a log listener', () => {
  /** So short that little work has many pauses in it, where no clock runs. */
  const fuelSlice = 60_000

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('gets every line once, in order, including the last without a newline', async () => {
    const told: string[] = []
    const script = `
      print("a")
      io.write("b", "c")
      io.stderr:write("d\\n")
      io.write("\\ne")
      return 0/0
    `
    const { logs } = await runLua(script, { onLog: (line) => told.push(line) })
    expect(logs).toEqual(['a', 'bcd', '', 'e', expect.stringMatching(/^warning: /)])
    expect(told).toEqual(logs)
  })

  it('gets a line when it is complete, before the script waits for the store', async () => {
    const events: string[] = []
    const storage = await storageWith({ x: '', y: '', z: '' })
    const watched = lateStorage({
      ...storage,
      head: async (key) => {
        events.push(`asked for ${key}`)
        return storage.head(key)
      },
    })
    const script = `
      print("one")
      io.open("x")
      io.write("two\\nthr")
      io.open("y")
      io.write("ee\\n")
      io.stderr:write("four\\n")
      io.open("z")
    `
    await runLua(script, { storage: watched, onLog: (line) => events.push(line) })
    expect(events).toEqual([
      'one',
      'asked for area/x',
      'two',
      'asked for area/y',
      'three',
      'four',
      'asked for area/z',
    ])
  })

  it.each(['print("first")', 'io.write("first\\n")', 'io.stderr:write("first\\n")'])(
    'gets the line of %s before a long computation ends',
    async (script) => {
      let hasEnded = false
      let hadEnded: boolean | undefined
      const onLog = (line: string) => {
        // A turn of the event loop later, only a run that let go in between is still under way.
        if (line === 'first') setTimeout(() => (hadEnded = hasEnded), 0)
      }
      const compute = 'local start = os.clock() while os.clock() - start < 0.04 do end'
      const run = runLua(`${script}\n${compute}\nprint("second")`, { onLog, fuelSlice })
      const { logs, fuelUsed } = await run.finally(() => (hasEnded = true))
      expect({ logs, hadEnded }).toEqual({ logs: ['first', 'second'], hadEnded: false })
      expect(fuelUsed).toBeGreaterThan(100 * fuelSlice)
    },
  )

  it('gets lines during a computation', async () => {
    const turns: string[][] = []
    let lines: string[] = []
    const onLog = (line: string) => {
      if (lines.length === 0) {
        setTimeout(() => {
          turns.push(lines)
          lines = []
        }, 0)
      }
      lines.push(line)
    }
    const script = `
      for i = 1, 4 do
        print("step " .. i)
        local start = os.clock()
        while os.clock() - start < 0.04 do end
      end
    `
    await runLua(script, { onLog, fuelSlice })
    expect(turns).toEqual([['step 1'], ['step 2'], ['step 3'], ['step 4']])
  })
})
