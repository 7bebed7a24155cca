/** Saved scripts of others, names that lead elsewhere, and comments made to hurt whoever reads them. */
import { describe, expect, it } from 'vitest'
import { describeScript, HEAD_BYTES } from '../../src/operations/scripts/describe-script.ts'
import { checkArgs } from '../../src/operations/scripts/check-args.ts'
import { watchedStorage } from '../support/watched-storage.ts'
import { runtimeStorage, type Answer } from '../support/make-app.ts'
import { makeScripts } from '../support/make-scripts.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const described = (text: string) => {
  const bytes = bytesOf(text)
  return describeScript(bytes, bytes.length)
}
const SECRET = '--- secret plan\nreturn "secret"'

describe('a saved script', () => {
  it.each([
    ['of another user', { sub: 'bob' }],
    ['of another tenant', { tenant: 'other', sub: 'alice' }],
    ['of the companion', { sub: 'alice', app_id: 'companion' }],
    ['of callers without a name', { sub: undefined }],
  ])('is not that %s', async (_, claims) => {
    const { save, names, failure } = await makeScripts()
    await save('scripts/plan.lua', SECRET)
    expect(await names(claims)).toEqual([])
    const missing = 'There is no saved script "plan": it would be "scripts/plan.lua".'
    expect(await failure('plan', {}, claims)).toEqual([404, missing])
  })

  it('of another tenant’s team is not reached by any spelling of its name', async () => {
    const { save, names, call } = await makeScripts()
    await save('share/scripts/plan.lua', SECRET)
    const claims = { tenant: 'other' }
    expect(await names(claims)).toEqual([])
    const spellings = ['share/plan', 'SHARE/plan', 'share//plan', 'share/./plan', 'share%2fplan']
    for (const name of [...spellings, '.%2Fshare%2Fplan', '..%2Fshare%2Fscripts%2Fplan']) {
      const response = await call(name, {}, {}, claims)
      expect([400, 404]).toContain(response.status)
      expect(await response.text()).not.toContain('secret')
    }
  })

  it('runs with the rights of whoever calls it, not of whoever wrote it', async () => {
    const { save, call } = await makeScripts()
    await save('notes.txt', 'of bob', { sub: 'bob' })
    const source = 'local f = io.open("notes.txt") return f and f:read("a") or "nothing"'
    await save('share/scripts/spy.lua', source, { sub: 'bob' })
    const { result } = (await (await call('share/spy')).json()) as Answer
    expect(result).toBe('nothing')
    const scope = 'execute files:read'
    await save('share/scripts/write.lua', 'file.save("x", "y")')
    const { error } = (await (await call('share/write', {}, {}, { scope })).json()) as Answer
    expect(error?.message).toContain('files:write')
  })

  it('is used only within the paths of a token', async () => {
    const { save, names, failure, call, list } = await makeScripts()
    for (const path of ['scripts/a.lua', 'scripts/reports/b.lua', 'share/scripts/c.lua']) {
      await save(path, 'return 1')
    }
    const denied = [400, 'path is not allowed']
    const reports = { paths: ['scripts/reports'] }
    expect(await names(reports)).toEqual(['reports/b'])
    expect(await failure('a', {}, reports)).toEqual(denied)
    expect(await failure('share/c', {}, reports)).toEqual(denied)
    expect((await call('reports/b', {}, {}, reports)).status).toBe(200)
    expect(await names({ paths: ['share'] })).toEqual(['share/c'])
    expect(await names({ paths: ['output', 'scripts2', 'script'] })).toEqual([])
    expect((await list('', { paths: ['scripts/a.lua'] })).scripts).toHaveLength(1)
  })

  it('cannot be brought in by a field of the body', async () => {
    const { save, failure } = await makeScripts()
    await save('scripts/a.lua', 'return 1')
    for (const field of ['script', 'path', 'schema', '__proto__']) {
      const [status] = await failure('a', `{"${field}": "return 2"}`)
      expect([field, status]).toEqual([field, 422])
    }
  })
})

describe('arguments', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'named %s are unknown like any other',
    async (name) => {
      const { save, failure } = await makeScripts()
      await save('scripts/a.lua', '---@param n? integer\n\nreturn 1')
      const message = `args.${name}: is unknown`
      expect(await failure('a', `{"args": {"${name}": {"n": 1}}}`)).toEqual([422, message])
    },
  )

  it('that a comment calls __proto__ are checked as such', () => {
    const { schema } = described('---@param __proto__ integer')
    expect(() => checkArgs(schema, '{}')).toThrow('args.__proto__: is missing')
    expect(() => checkArgs(schema, '{"__proto__": "x"}')).toThrow('must be a whole number')
    expect(checkArgs(schema, '{"__proto__": 1}')).toBe('{"__proto__": 1}')
  })

  it('without number are answered in one short message', async () => {
    const { save, failure } = await makeScripts()
    await save('scripts/a.lua', '---@param n integer\n\nreturn 1')
    const args = Object.fromEntries(
      Array.from({ length: 2000 }, (_, i) => [`${'\u202E<b>\n'.repeat(50)}${i}`, 1]),
    )
    const [status, message] = await failure('a', { args })
    expect(status).toBe(422)
    expect(String(message).length).toBeLessThan(1500)
    expect(message).not.toMatch(/[\n\u202E]/)
  })

  it('of 4 MB are checked against unions in less than two seconds', () => {
    const unions = Array.from({ length: 20 }, (_, i) => `"${i}"[]`).join('|')
    const { schema, problem } = described(`---@param n (${unions})`)
    expect(problem).toBeUndefined()
    const args = `{"n": [${'"19",'.repeat(800_000)}"x"]}`
    const start = performance.now()
    expect(() => checkArgs(schema, args)).toThrow('args.n: must be a list')
    expect(performance.now() - start).toBeLessThan(2000)
  })
})

/** Each would be a problem for a careless reader. */
const COMMENTS: Readonly<Record<string, string>> = {
  'spaces without end': `--- ${' '.repeat(8000)}x`,
  'dashes without end': '-'.repeat(8100),
  'a name without end': `---@param ${'a'.repeat(8000)}`,
  'brackets without end': `---@param x ${'('.repeat(8000)}`,
  'arrays of arrays': `---@param x any${'[]'.repeat(4000)}`,
  'question marks': `---@param x any${'?'.repeat(8000)}`,
  'a union without end': `---@param x ${'a|'.repeat(4000)}`,
  'choices without end': `---@param x string\n${'---|"a"\n'.repeat(900)}`,
  'parameters without end': Array.from({ length: 300 }, (_, i) => `---@param x${i} any`).join('\n'),
  'maps of maps': `---@param x ${'table<string,'.repeat(600)}`,
  'tables of tables': `---@param x ${'{a:'.repeat(2500)}`,
  'a quote that never ends': `---@param x "${'\\"'.repeat(4000)}`,
  'at signs': `---${'@'.repeat(8000)}`,
  'blank lines': '\n'.repeat(8100),
  'a function': '---@param f fun(x: string): integer',
  'a class of its own': '---@param x Order',
  'several arguments': '---@param ... string',
  'one name twice': '---@param a any\n---@param a any',
  'no type': '---@param a',
}

describe('a comment with', () => {
  it.each(Object.entries(COMMENTS))('%s is read at once', (_, comment) => {
    const start = performance.now()
    const read = described(`${comment}\n\nreturn 1`)
    expect(performance.now() - start).toBeLessThan(100)
    // One row of a list, whatever it says.
    expect(JSON.stringify(read).length).toBeLessThan(16_000)
  })

  it.each(Object.entries(COMMENTS).slice(-5))('%s is a problem that names its line', (_, text) => {
    expect(described(text).problem).toMatch(/^line \d: |^"a" has no type$/)
  })

  it('more than the head that is read is a problem, and no code of it counts', async () => {
    const { save, list, failure } = await makeScripts()
    const problem = `the first comment is longer than ${HEAD_BYTES} bytes`
    await save('scripts/a.lua', `--- Long.\n${'--- x\n'.repeat(2000)}---@param n integer\nreturn 1`)
    expect((await list()).scripts).toMatchObject([{ name: 'a', problem }])
    expect((await failure('a'))[0]).toBe(422)
  })

  it('invisible characters and markup is shown as plain text of one line', () => {
    const { description, schema } = described(
      '--- <script>\u202Ealert\u0007(1)\n---@param x string \u200B<b>\u0000hi',
    )
    expect(description).toBe('<script> alert (1)')
    expect(schema.properties).toEqual({ x: { type: 'string', description: '<b> hi' } })
  })

  it('what belongs to a function says nothing of the script', () => {
    expect(described('--- Adds.\n---@param x number\nlocal function f(x) end')).toEqual({
      description: '',
      schema: {},
      returns: undefined,
    })
  })
})

describe('a thousand scripts', () => {
  it('are listed in pages, with no more than the head of each read', async () => {
    let most = 0
    const storage = watchedStorage(
      await runtimeStorage(),
      (request, _, options?: { readonly range?: { readonly length: number } }) => {
        if (request !== 'get') return
        most = Math.max(most, options?.range?.length ?? Infinity)
      },
    )
    const { run, list } = await makeScripts({ storage })
    const script = `for i = 1, 1000 do
      file.save(("scripts/s%04d.lua"):format(i), "--- " .. i .. "\\n\\n" .. (" "):rep(20000))
    end`
    await run(script)
    const names: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const page = await list(`?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`)
      names.push(...page.scripts.map(({ name }) => name))
      cursor = page.next
      pages++
    } while (cursor !== undefined)
    expect([names.length, new Set(names).size, pages]).toEqual([1000, 1000, 10])
    expect(most).toBe(HEAD_BYTES)
  })
})
