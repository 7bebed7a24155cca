/** Saved scripts over HTTP: run by name with checked arguments, and listed with a schema. */
import { describe, expect, it } from 'vitest'
import { collect, readEvents } from '../support/read-events.ts'
import { testQueue } from '../support/run-queue.ts'
import type { Answer } from '../support/make-app.ts'
import { makeScripts } from '../support/make-scripts.ts'

const DAILY = `--- Writes the report of a day.
--- It goes to output/.
---@param day string the day, such as 2026-11-16
---@param rows? integer how many rows
---@param kind "short"|"long"
---@param tags string[]? labels
---@return table # what was written

local function twice(n) return n * 2 end
return { args = args, rows = twice(args.rows or 1) }
`

const DAILY_SCHEMA = {
  type: 'object',
  properties: {
    day: { type: 'string', description: 'the day, such as 2026-11-16' },
    rows: { type: 'integer', description: 'how many rows' },
    kind: { enum: ['short', 'long'] },
    tags: {
      anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }],
      description: 'labels',
    },
  },
  required: ['day', 'kind'],
  additionalProperties: false,
}

const json = async (response: Response) => (await response.json()) as Answer

describe('a saved script', () => {
  it('runs by its name, with args that its comment describes', async () => {
    const { save, call } = await makeScripts()
    await save('scripts/daily.lua', DAILY)
    const response = await call('daily', { args: { day: '2026-11-16', rows: 4, kind: 'short' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('X-Fuel-Used')).toMatch(/^\d+$/)
    expect(await json(response)).toEqual({
      result: { args: { day: '2026-11-16', rows: 4, kind: 'short' }, rows: 8 },
      logs: [],
      files_touched: [],
    })
  })

  it('is listed with a description, a schema and its time', async () => {
    const { save, list } = await makeScripts()
    await save('scripts/daily.lua', DAILY)
    expect(await list()).toEqual({
      scripts: [
        {
          name: 'daily',
          description: 'Writes the report of a day. It goes to output/.',
          schema: DAILY_SCHEMA,
          returns: { type: ['object', 'array'], description: 'what was written' },
          modified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        },
      ],
    })
  })

  it.each([
    [{ day: 'x', kind: 'long', tags: null }, null],
    [{}, 'args.day: is missing; args.kind: is missing'],
    [undefined, 'args.day: is missing; args.kind: is missing'],
    [[], 'args: must be an object'],
    [null, 'args: must be an object'],
    [
      { day: 'x', kind: 'long', colour: 1, ['a b']: 2 },
      'args.colour: is unknown; args.a b: is unknown',
    ],
    [{ day: 1, kind: 'tall' }, 'args.day: must be a string; args.kind: must be "short" or "long"'],
    [{ day: 'x', kind: 'long', rows: 1.5 }, 'args.rows: must be a whole number'],
    [{ day: 'x', kind: 'long', tags: ['a', 2] }, 'args.tags: must be a list or null'],
  ])('with args %j answers %j', async (args, message) => {
    const { save, call, failure } = await makeScripts()
    await save('scripts/daily.lua', DAILY)
    if (message === null) expect((await call('daily', { args })).status).toBe(200)
    else expect(await failure('daily', { args })).toEqual([422, message])
  })

  it('needs no body, and gets a table if its arguments are described', async () => {
    const { save, call } = await makeScripts()
    await save('scripts/a.lua', '---@param n? integer\n\nreturn type(args)')
    await save('scripts/b.lua', 'return type(args)')
    expect((await json(await call('a'))).result).toBe('table')
    expect((await json(await call('b'))).result).toBe('nil')
    expect((await json(await call('b', { args: [1] }))).result).toBe('table')
  })

  it('keeps large integers exact', async () => {
    const { save, call } = await makeScripts()
    await save('scripts/a.lua', '---@param n integer\n\nreturn tostring(args.n)')
    const { result } = await json(await call('a', '{"args": {"n": 9007199254740993}}'))
    expect(result).toBe('9007199254740993')
  })

  it('may be in a folder, or of the team', async () => {
    const { save, call, names } = await makeScripts()
    await save('scripts/reports/daily.lua', 'return "own"')
    await save('share/scripts/daily.lua', 'return "shared"', { sub: 'bob' })
    expect((await json(await call('reports/daily'))).result).toBe('own')
    expect((await json(await call('reports%2Fdaily'))).result).toBe('own')
    expect((await json(await call('share/daily'))).result).toBe('shared')
    expect((await json(await call('Share/daily'))).result).toBe('shared')
    expect(await names()).toEqual(['reports/daily', 'share/daily'])
    expect(await names({ sub: 'bob' })).toEqual(['share/daily'])
  })

  it('takes what any run takes', async () => {
    const { save, call, stored } = await makeScripts()
    await save('scripts/a.lua', 'file.save("x.txt", "x") error("no")')
    const { error } = await json(await call('a', { commit: 'on_success' }))
    expect(error).toMatchObject({ kind: 'runtime', line: 1 })
    expect(Object.keys(await stored())).toEqual(['users/alice/scripts/a.lua'])
    await save('scripts/b.lua', 'while true do end')
    const answer = await json(await call('b', { limits: { fuel: 1000 } }))
    expect(answer.error?.kind).toBe('fuel')
  })

  it('answers with events to those who accept them', async () => {
    const { save, call } = await makeScripts()
    await save('scripts/a.lua', 'print("x") return 1')
    const response = await call('a', {}, { Accept: 'text/event-stream' })
    const events = await collect(readEvents(response))
    expect(events.map(([name]) => name)).toEqual(['log', 'result', 'stats'])
  })

  it('goes on in the background, once for its key', async () => {
    const runQueue = testQueue()
    const { save, call } = await makeScripts({ runQueue })
    await save('scripts/a.lua', 'return 1')
    const headers = { Prefer: 'respond-async', 'Idempotency-Key': 'k1' }
    const [one, other] = [await call('a', {}, headers), await call('a', {}, headers)]
    expect([one.status, other.status]).toEqual([202, 202])
    expect(one.headers.get('Location')).toMatch(/^\/runs\/\w+/)
    expect(other.headers.get('Location')).toBe(one.headers.get('Location'))
    expect(runQueue.sent).toHaveLength(1)
  })

  it('may begin like a file for native Lua', async () => {
    const { save, call } = await makeScripts()
    await save('scripts/a.lua', '\uFEFF#!/usr/bin/lua\n--- X.\nerror("no")')
    expect((await json(await call('a'))).error).toMatchObject({ line: 3 })
  })
})

describe('refuses to run', () => {
  it.each([
    ['nothing', 404, 'There is no saved script "nothing": it would be "scripts/nothing.lua".'],
    ['con', 404, 'There is no saved script "con": it would be "scripts/con.lua".'],
    [
      'x.lua',
      404,
      'There is no saved script "x.lua": it would be "scripts/x.lua.lua". Leave out .lua.',
    ],
    ['..%2Fx', 400, "path cannot contain '..' traversal"],
    ['share%2F..%2Fx', 400, "path cannot contain '..' traversal"],
    ['%2Fetc', 400, 'path must be relative'],
    ['a%00b', 400, 'path cannot contain null bytes'],
    ['a%0Ab', 400, 'path is not valid: contains control characters'],
    ['a%5Cb', 400, 'path is not valid: contains a backslash'],
    ['a/', 400, 'path is not valid: names a folder'],
  ])('%s', async (name, status, message) => {
    const { failure } = await makeScripts()
    expect(await failure(name, {})).toEqual([status, message])
  })

  it('a name that is too long', async () => {
    const { failure } = await makeScripts()
    expect(await failure('x'.repeat(513))).toEqual([
      400,
      'path is not valid: longer than 512 bytes',
    ])
  })

  it('a folder, bytecode, other bytes, and what is too long', async () => {
    const { save, failure } = await makeScripts({ limits: { scriptBytes: 100 } })
    await save('scripts/folder.lua/x', 'x')
    await save('scripts/code.lua', new Uint8Array([0x1b, 0x4c, 0x75, 0x61, 0x54]))
    await save('scripts/bytes.lua', new Uint8Array([0x2d, 0xff, 0xfe]))
    await save('scripts/long.lua', ' '.repeat(101))
    expect(await failure('folder')).toEqual([
      409,
      '"scripts/folder.lua" is a folder, not a file. List it instead.',
    ])
    const compiled = '"scripts/code.lua" is compiled Lua. Save its source instead.'
    expect(await failure('code')).toEqual([422, compiled])
    expect(await failure('bytes')).toEqual([422, '"scripts/bytes.lua" is not UTF-8 text.'])
    const long = '"scripts/long.lua" has 101 bytes; a script has at most 100.'
    expect(await failure('long')).toEqual([413, long])
  })

  it('a request with fields that no run takes, or the name twice', async () => {
    const { save, failure } = await makeScripts()
    await save('scripts/a.lua', 'return 1')
    const twice = 'name: is in the address; leave it out of the body'
    expect(await failure('a', { name: 'b' })).toEqual([422, twice])
    expect(await failure('a', { script: 'return 2' })).toEqual([422, 'Unrecognized key: "script"'])
    expect(await failure('a', '{')).toEqual([400, 'The body is not valid JSON.'])
  })

  it('what is described wrongly, which is still listed', async () => {
    const { save, failure, list } = await makeScripts()
    await save('scripts/a.lua', '--- Adds.\n---@param n integr\n\nreturn 1')
    const problem = 'line 2: "integr" is an unknown type'
    expect((await list()).scripts).toMatchObject([
      { name: 'a', description: 'Adds.', schema: {}, problem },
    ])
    const message = `The saved script "a" is not described correctly: ${problem}. Correct its first comment.`
    expect(await failure('a', {})).toEqual([422, message])
  })
})

describe('the list', () => {
  it('comes in pages, the caller’s own first', async () => {
    const { save, list } = await makeScripts()
    for (const name of ['a', 'b', 'c/d']) await save(`scripts/${name}.lua`, `--- ${name}`)
    await save('share/scripts/a.lua', '--- shared')
    const pages: string[][] = []
    for (let query = '?limit=1'; query !== '';) {
      const { scripts, next } = await list(query)
      pages.push(scripts.map(({ name }) => name))
      query = next === undefined ? '' : `?limit=1&cursor=${encodeURIComponent(next)}`
    }
    expect(pages).toEqual([['a'], ['b'], ['c/d'], ['share/a']])
  })

  it('has scripts only', async () => {
    const { save, names } = await makeScripts()
    // `share/x` is the name of the team's script, so the last cannot be called.
    for (const path of ['x.lua', 'scripts/a.txt', 'scripts/.lua', 'scripts/share/x.lua']) {
      await save(path, 'return 1')
    }
    expect(await names()).toEqual([])
    await save('scripts/share.lua', 'return 1')
    expect(await names()).toEqual(['share'])
  })

  it.each(['?limit=0', '?limit=101', '?limit=x', '?cursor=', '?cursor=..', '?colour=1'])(
    'is refused with %s',
    async (query) => {
      const { send } = await makeScripts()
      expect([400, 422]).toContain((await send(`/scripts${query}`)).status)
    },
  )
})
