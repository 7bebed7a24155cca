/** How a script's failure is reported: kind, message, line and traceback, and what is kept. */
import { describe, expect, it } from 'vitest'
import { runLua } from '../support/run-lua.ts'
import { storageWith, textsIn } from '../support/seeded-storage.ts'

const traceback = (...calls: string[]) => ['stack traceback:', ...calls].join('\n\t')

describe('a syntax error', () => {
  it.each([
    ['x = = 1', 1, "unexpected symbol near '='"],
    ['local x = 1\nlocal y = 2\nx y', 3, "syntax error near 'y'"],
    ['for i = 1, 2 do\n\n', 3, "'end' expected (to close 'for' at line 1) near <eof>"],
    ['é = 1', 1, "unexpected symbol near '<\\195>'"],
  ])('in %j has its line and no traceback', async (script, line, problem) => {
    const { error, result } = await runLua(script)
    const message = `script:${line}: ${problem}`
    expect({ error, result }).toEqual({ error: { kind: 'syntax', message, line }, result: null })
  })

  it('runs nothing of the script', async () => {
    const { logs, files } = await runLua('print("x") io.open("x", "w"):close()\nx = = 1')
    expect({ logs, files }).toEqual({ logs: [], files: [] })
  })
})

describe('a runtime error', () => {
  const IN_ERROR = traceback("[C]: in function 'error'", 'script:1: in main chunk')

  it.each([
    ['error("boom")', 'script:1: boom'],
    ['error("boom", 0)', 'boom'],
    ['error("two\\nlines")', 'script:1: two\nlines'],
    ['error("\\xff")', 'script:1: \ufffd'],
    ['error(nil)', '(error object is a nil value)'],
    ['error({ code = 1 })', '(error object is a table value)'],
    ['error(json.null)', 'null'],
    ['error(setmetatable({}, { __tostring = function() return "custom" end }))', 'custom'],
  ])('of %s has the message of native Lua', async (script, message) => {
    const { error, result } = await runLua(script)
    expect({ error, result }).toEqual({
      error: { kind: 'runtime', message, line: 1, traceback: IN_ERROR },
      result: null,
    })
  })

  it('is reported even if its __tostring fails', async () => {
    const script = 'error(setmetatable({}, { __tostring = function() error("inner") end }))'
    const { error } = await runLua(script)
    expect(error).toMatchObject({ kind: 'runtime', line: 1, traceback: IN_ERROR })
    expect(error?.message).toMatch(/^(script:1: inner|\(error object is a table value\))$/)
  })

  it.each([
    ['local t\nprint(t.x)', 2, "attempt to index a nil value (local 't')"],
    ['\n\nnothing()', 3, "attempt to call a nil value (global 'nothing')"],
    ['string.rep()', 1, "bad argument #1 to 'rep' (string expected, got no value)"],
    ['io.open("x", "rw")', 1, "bad argument #2 to 'open' (invalid mode)"],
    ['io.open("../x")', 1, "path cannot contain '..' traversal"],
    ['\nassert(io.open("none.txt"))', 2, 'none.txt: No such file or directory'],
  ])('in %j has its line', async (script, line, problem) => {
    const { error } = await runLua(script)
    expect(error).toEqual({
      kind: 'runtime',
      message: `script:${line}: ${problem}`,
      line,
      traceback: expect.stringMatching(
        new RegExp(`^stack traceback:\n.*script:${line}: in main`, 's'),
      ),
    })
  })

  it('in nested functions has the innermost line and the whole traceback', async () => {
    const script = [
      'local function inner(x)',
      '  return x.field',
      'end',
      'function outer()',
      '  local value = inner(nil)',
      '  return value',
      'end',
      'local result = outer()',
      'return result',
    ].join('\n')
    expect((await runLua(script)).error).toEqual({
      kind: 'runtime',
      message: "script:2: attempt to index a nil value (local 'x')",
      line: 2,
      traceback: traceback(
        "script:2: in upvalue 'inner'",
        "script:5: in function 'outer'",
        'script:8: in main chunk',
      ),
    })
  })

  it('of level 2 has the line of the caller', async () => {
    const script = [
      'local function check(x)',
      '  if not x then error("x is missing", 2) end',
      'end',
      'local function work()',
      '  check(nil)',
      'end',
      'work()',
    ].join('\n')
    expect((await runLua(script)).error).toEqual({
      kind: 'runtime',
      message: 'script:5: x is missing',
      line: 5,
      traceback: traceback(
        "[C]: in function 'error'",
        "script:2: in upvalue 'check'",
        "script:5: in local 'work'",
        'script:7: in main chunk',
      ),
    })
  })

  it('that has no position has the line where it was raised', async () => {
    const script = '\nlocal function fail()\n  error({ code = 7 })\nend\nfail()'
    expect((await runLua(script)).error).toMatchObject({
      message: '(error object is a table value)',
      line: 3,
    })
  })

  it('in a loaded chunk has the line of the script that called it', async () => {
    const script = '\nlocal chunk = load("\\n\\nerror(\'inside\')", "=chunk")\nchunk()'
    expect((await runLua(script)).error).toMatchObject({ message: 'chunk:3: inside', line: 3 })
  })

  it('in a coroutine ends the run when coroutine.wrap passes it on', async () => {
    const script = [
      'local step = coroutine.wrap(function()',
      '  coroutine.yield(1)',
      '  error("in the coroutine")',
      'end)',
      'step()',
      'step()',
    ].join('\n')
    expect((await runLua(script)).error).toEqual({
      kind: 'runtime',
      message: 'script:6: script:3: in the coroutine',
      line: 6,
      traceback: traceback("[C]: in local 'step'", 'script:6: in main chunk'),
    })
  })

  it('of endless recursion is a stack overflow', async () => {
    const { error } = await runLua('local function f() return 1 + f() end\nf()')
    expect(error).toEqual({
      kind: 'runtime',
      message: expect.stringMatching(/^script:1: stack overflow/),
      line: 1,
      traceback: expect.stringContaining('script:2: in main chunk'),
    })
  })
})

describe('a variable to be closed', () => {
  const GUARD = `
    local function guard(name)
      return setmetatable({}, { __close = function(_, problem)
        print("closing " .. name, problem)
        io.open(name .. ".txt", "w"):write(tostring(problem)):close()
      end })
    end
  `

  it('is closed in reverse order after an error, and may still write', async () => {
    const script = `${GUARD}
    local a <close> = guard("a")
    local function work() local b <close> = guard("b"); error("boom", 0) end
    work()
    `
    const storage = await storageWith({})
    const { logs, error } = await runLua(script, { storage })
    expect(logs).toEqual(['closing b\tboom', 'closing a\tboom'])
    expect(error).toMatchObject({ kind: 'runtime', message: 'boom' })
    expect(await textsIn(storage)).toEqual({ 'a.txt': 'boom', 'b.txt': 'boom' })
  })

  it('is closed with nil when there is no error', async () => {
    const { logs, error } = await runLua(`${GUARD} local a <close> = guard("a")`)
    expect({ logs, error }).toEqual({ logs: ['closing a\tnil'], error: undefined })
  })

  it('may fail itself, and its error replaces the first', async () => {
    const script = `
      local a <close> = setmetatable({}, { __close = function() error("second", 0) end })
      error("first", 0)
    `
    expect((await runLua(script)).error).toMatchObject({ kind: 'runtime', message: 'second' })
  })
})

describe('a limit that a script may catch', () => {
  const limits = { writeBytes: 10 }
  const EXCEED = 'local f = io.open("f", "w") f:write("12345")'
  const CATCH = 'local _, e = pcall(f.write, f, "123456")'
  const WRAPPED = 'coroutine.wrap(function() f:write("123456") end)()'
  const TEXT = 'I/O write limit exceeded (10 bytes)'

  it.each([
    ['limit', 'uncaught', 'f:write("123456")', `script:2: ${TEXT}`],
    ['limit', 'rethrown', `${CATCH} error(e, 0)`, TEXT],
    ['limit', 'rethrown with a position', `${CATCH} error(e)`, `script:2: ${TEXT}`],
    ['limit', 'passed on by coroutine.wrap', WRAPPED, `script:2: script:2: ${TEXT}`],
    ['limit', 'raised by assert', 'assert(pcall(f.write, f, "123456"))', `script:2: ${TEXT}`],
    ['runtime', 'followed by another error', `${CATCH} error("other")`, 'script:2: other'],
    ['runtime', 'only mentioned', `${CATCH} error(e .. "!", 0)`, `${TEXT}!`],
    ['runtime', 'only said by a script', `error("${TEXT}")`, `script:2: ${TEXT}`],
    ['runtime', 'in an object', `${CATCH} error({ e })`, '(error object is a table value)'],
  ])('gives kind %s when it is %s', async (kind, _, script, message) => {
    const { error } = await runLua(
      `${EXCEED}
${script}`,
      { limits },
    )
    expect(error).toMatchObject({ kind, message, line: 2 })
  })

  it('lets the script succeed when it is caught', async () => {
    const { error } = await runLua(`${EXCEED} ${CATCH}`, { limits })
    expect(error).toBeUndefined()
  })
})

describe('a kill', () => {
  const LOOP = 'print("before") io.open("f", "w"):write("kept")\nwhile true do end'
  const KEPT = { result: null, logs: ['before'], files: [{ name: 'f', op: 'write', bytes: 4 }] }

  it('by fuel has kind fuel, and keeps logs and files', async () => {
    const { result, logs, files, error, fuelUsed } = await runLua(LOOP, {
      limits: { fuel: 1_000_000 },
    })
    expect({ result, logs, files }).toEqual(KEPT)
    expect({ kind: error?.kind, fuelUsed }).toEqual({ kind: 'fuel', fuelUsed: 1_000_000 })
  })

  it('by a disconnected caller keeps logs and files', async () => {
    const leaving = new AbortController()
    const onLog = () => leaving.abort()
    const { result, logs, files, error } = await runLua(LOOP, { onLog, signal: leaving.signal })
    expect({ result, logs, files }).toEqual(KEPT)
    expect(error?.kind).toBe('timeout')
  })
})

describe('lack of memory', () => {
  const limits = { memoryBytes: 8 * 1024 * 1024 }

  it('can be caught like any error', async () => {
    const script = `
      print(pcall(string.rep, "x", 1e8))
      print(pcall(function() local t = {} while true do t[#t + 1] = {} end end))
      print("alive")
    `
    const { logs, error } = await runLua(script, { limits })
    expect({ logs, error }).toEqual({
      logs: ['false\tnot enough memory', 'false\tnot enough memory', 'alive'],
      error: undefined,
    })
  })

  it.each([
    ['one large string', 'local s = "x" while true do s = s .. s end'],
    ['many small tables', 'local t = {} while true do t[#t + 1] = {} end'],
    ['many small strings', 'local t = {} while true do t[#t + 1] = "text " .. #t end'],
  ])('by %s ends the run with kind memory and keeps the logs', async (_, script) => {
    const { logs, error, files } = await runLua(
      `print("before") io.open("f", "w"):write("kept")\n${script}`,
      { limits },
    )
    expect({ logs, files }).toEqual({
      logs: ['before'],
      files: [{ name: 'f', op: 'write', bytes: 4 }],
    })
    expect(error).toMatchObject({ kind: 'memory', message: 'not enough memory' })
  })
})

describe('a failed run', () => {
  it('keeps its logs and its files, closed or not', async () => {
    const storage = await storageWith({ 'log.txt': 'old\n', 'gone.txt': 'x' })
    const script = `
      print("one")
      io.write("two")
      io.open("closed.txt", "w"):write("closed"):close()
      local f = io.open("open.txt", "w")
      f:write("still open")
      local log = io.open("log.txt", "a")
      log:write("new\\n")
      os.remove("gone.txt")
      error("boom")
    `
    const { result, logs, files, error } = await runLua(script, { storage })
    expect({ result, logs, files, kind: error?.kind }).toEqual({
      result: null,
      logs: ['one', 'two'],
      files: [
        { name: 'closed.txt', op: 'write', bytes: 6 },
        { name: 'gone.txt', op: 'remove', bytes: 0 },
        { name: 'log.txt', op: 'append', bytes: 8 },
        { name: 'open.txt', op: 'write', bytes: 10 },
      ],
      kind: 'runtime',
    })
    expect(await textsIn(storage)).toEqual({
      'closed.txt': 'closed',
      'log.txt': 'old\nnew\n',
      'open.txt': 'still open',
    })
  })
})

describe('a first line for the shell', () => {
  it.each([
    ['#!/usr/bin/env lua\nreturn 1', 1],
    ['#\nreturn 2', 2],
    ['#!/usr/bin/env lua', null],
  ])('is skipped: %j', async (script, result) => {
    expect(await runLua(script)).toMatchObject({ result })
  })

  it('counts as a line', async () => {
    const { error } = await runLua('#!/usr/bin/env lua\n\nerror("here")')
    expect(error).toMatchObject({ message: 'script:3: here', line: 3 })
  })
})
