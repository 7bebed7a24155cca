/** A script that breaks its VM has failed like any other, and nobody else notices. */
import { describe, expect, it } from 'vitest'
import { makeMcp } from '../mcp/make-mcp.ts'
import { loadLua as loadDamagedLua } from '../support/damaged-lua.ts'
import { makeApp, type Answer } from '../support/make-app.ts'
import { collect, readEvents } from '../support/read-events.ts'
import { runLua } from '../support/run-lua.ts'

/** The damaged module traps here. */
const BREAK = 'os.difftime(1, 0)'
/** What the engine says of it, and nothing else. */
const BROKEN = {
  kind: 'runtime',
  message: expect.stringMatching(/^the script broke the VM \([a-z -]+\)$/),
}

const makeDamagedApp = async () => makeApp({ lua: await loadDamagedLua() })

describe('a script that breaks its VM', () => {
  it('answers with its logs and the files it had closed', async () => {
    const { run, textsUnder } = await makeDamagedApp()
    const answer = await run(`
      print("one") io.write("two\\n") io.stderr:write("three\\n")
      io.open("closed.txt", "w"):write("whole"):close()
      ${BREAK}
      print("never")`)
    expect(answer).toEqual({
      result: null,
      logs: ['one', 'two', 'three'],
      files_touched: [expect.objectContaining({ name: 'closed.txt', op: 'write', bytes: 5 })],
      error: BROKEN,
    })
    expect(answer.files_touched[0]).not.toHaveProperty('stored')
    expect(Object.values(await textsUnder())).toEqual(['whole'])
  })

  it('leaves what it was still writing as it was in the store', async () => {
    const { run, textsUnder } = await makeDamagedApp()
    await run('file.save("log", "old") file.save("page", "old") file.save("gone", "old")')
    const { files_touched } = await run(`
      local long = ("x"):rep(100000)
      io.open("log", "a"):write(long)
      io.open("page", "w"):write(long):flush()
      io.open("new", "w"):write(long):flush()
      os.remove("gone")
      ${BREAK}`)
    expect(files_touched).toEqual([
      { name: 'gone', op: 'remove', bytes: 0, stored: false },
      expect.objectContaining({ name: 'log', op: 'append', stored: false }),
      expect.objectContaining({ name: 'new', op: 'write', stored: false }),
      expect.objectContaining({ name: 'page', op: 'write', stored: false }),
    ])
    expect(Object.values(await textsUnder())).toEqual(['old', 'old', 'old'])
  })

  it('stores nothing with commit: on_success', async () => {
    const { run, textsUnder } = await makeDamagedApp()
    const answer = await run(`file.save("a", "1") ${BREAK}`, { commit: 'on_success' })
    expect(answer.error).toEqual(BROKEN)
    expect(answer.files_touched).toMatchObject([{ name: 'a', stored: false }])
    expect(await textsUnder()).toEqual({})
  })

  it.each([
    ['pcall', `pcall(function() ${BREAK} end)`],
    ['xpcall', `xpcall(function() ${BREAK} end, print)`],
    ['a coroutine', `coroutine.resume(coroutine.create(function() ${BREAK} end))`],
    ['a to-be-closed variable', `local c <close> = setmetatable({}, { __close = print }) ${BREAK}`],
    ['a finalizer', `setmetatable({}, { __gc = function() ${BREAK} end }) collectgarbage()`],
    ['a comparison', `table.sort({ 2, 1 }, function() ${BREAK} end)`],
    ['an error message', `error(setmetatable({}, { __tostring = function() ${BREAK} end }))`],
  ])('cannot go on after it in %s', async (_, script) => {
    const { run } = await makeDamagedApp()
    const { error, logs } = await run(`${script} print("went on")`)
    expect({ error, logs }).toEqual({ error: BROKEN, logs: [] })
  })

  it('streams its answer to the end', async () => {
    const { post } = await makeDamagedApp()
    const script = `print("one") ${BREAK}`
    const response = await post({ script }, { Accept: 'text/event-stream' })
    const events = await collect(readEvents(response))
    expect(events.map(([name]) => name)).toEqual(['log', 'result', 'stats'])
    expect((events[1]![1] as Answer).error).toEqual(BROKEN)
  })

  it('is an ordinary failed script over MCP', async () => {
    const { call } = await makeMcp({ lua: await loadDamagedLua() })
    const answer = await call('execute_script', { script: `print("one") ${BREAK}` })
    expect(answer.isError).toBe(true)
    expect(answer.structuredContent).toEqual({
      result: null,
      logs: ['one'],
      files_touched: [],
      error: BROKEN,
    })
  })

  it('is a fault in the log, with the hash of the script, and a run', async () => {
    const { post, events } = await makeDamagedApp()
    const response = await post({ script: BREAK })
    const request_id = response.headers.get('X-Request-Id')
    const script_sha256 = '8b82e915f879dbcaa18e266feeab713ef10292653cd6f94d4ce08d966009aa5e'
    expect(events).toEqual([
      {
        event: 'fault',
        request_id,
        where: 'vm',
        error: expect.stringMatching(/^RuntimeError: /),
        script_sha256,
      },
      expect.objectContaining({ event: 'run', request_id, script_sha256, outcome: 'runtime' }),
    ])
  })

  it('breaks no other run', async () => {
    const { run } = await makeDamagedApp()
    const runs = await Promise.all([run('return 1'), run(BREAK), run('return 2'), run(BREAK)])
    expect(runs.map(({ result, error }) => error?.kind ?? result)).toEqual([
      1,
      'runtime',
      2,
      'runtime',
    ])
  })
})

describe('whatever else comes out of a VM', () => {
  const overflow = (): Date => new Date(overflow())

  it('such as an overflow of the host’s stack is the script’s failure', async () => {
    const { error, logs } = await runLua('print("one") os.time()', {
      now: overflow,
      mayBreak: true,
    })
    const message = 'the script broke the VM (Maximum call stack size exceeded)'
    expect({ error, logs }).toEqual({ error: { kind: 'runtime', message }, logs: ['one'] })
  })

  it('such as a defect of the host is reported without its message', async () => {
    const defect = new TypeError('cannot read /home/moonbucket/secret')
    const { error, fault } = await runLua('os.time()', {
      mayBreak: true,
      now: () => {
        throw defect
      },
    })
    const message = 'the script broke the VM (internal error)'
    expect(error).toEqual({ kind: 'runtime', message })
    expect(fault).toBe(defect)
  })

  it('also while its buffers are written out after a kill', async () => {
    const script = 'io.stdout:setvbuf("full") io.write("late\\n") while true do end'
    const defect = new TypeError('no more lines')
    const { error, fault, fuelUsed } = await runLua(script, {
      mayBreak: true,
      limits: { fuel: 1_000_000 },
      onLog: () => {
        throw defect
      },
    })
    expect(error?.message).toBe('the script broke the VM (internal error)')
    expect({ fault, fuelUsed }).toEqual({ fault: defect, fuelUsed: 1_000_000 })
  })
})
