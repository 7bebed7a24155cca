/** The reference is true: it lists what the VM has and nothing else, and every example does what it shows. */
import { describe, expect, it } from 'vitest'
import { shopApi } from '../../src/demo/shop-api.ts'
import { LUA_ABSENT, LUA_FUNCTIONS, LUA_LIBRARIES } from '../../src/lua-reference/lua-functions.ts'
import { MODEL_SUMMARY } from '../../src/lua-reference/model-summary.ts'
import { inPath, inQuery, type ApiSketches } from '../support/make-catalog.ts'
import { runLua } from '../support/run-lua.ts'
import { scriptApis } from '../support/script-apis.ts'

const id = inPath('id', { type: 'integer' })

/** The demo API, which the examples of `sdk` call, as its specification describes it. */
const SHOP: ApiSketches = {
  shop: {
    title: 'Shop',
    downloadHosts: ['files.example.com'],
    calls: {
      list_orders: { path: '/orders', summary: 'List all orders, oldest first' },
      get_order: { path: '/orders/{id}', params: [id], summary: 'One order' },
      list_customers: {
        path: '/customers',
        params: [inQuery('page', { type: 'integer' })],
        summary: 'List all customers',
      },
      get_customer: { path: '/customers/{id}', params: [id], summary: 'One customer' },
      get_stock: {
        path: '/stock/{product}',
        params: [inPath('product', { type: 'string' })],
        summary: 'How many of a product are left',
      },
      export_orders: { path: '/export', summary: 'All orders as one compressed CSV file' },
    },
  },
}

const shop = shopApi()

const answer = (request: Request) =>
  new URL(request.url).hostname === 'files.example.com'
    ? new Response('id\n1\n2\n3\n')
    : shop.fetch(request)

const run = (script: string, args?: unknown) =>
  runLua(script, { args, apis: scriptApis(SHOP, answer) })

/** Everything that can be reached by name, without going through a name twice. */
const REACHABLE = `
  local names = {}
  for global, value in pairs(_G) do
    if type(value) == "table" and global ~= "_G" and global ~= "args" then
      for field in pairs(value) do table.insert(names, global .. "." .. field) end
    else
      table.insert(names, global)
    end
  end
  for method in pairs(getmetatable(io.stdout).__index) do table.insert(names, "handle:" .. method) end
  return names`

const names = LUA_FUNCTIONS.map(({ name }) => name)

describe('the reference', () => {
  it('has an entry for everything that scripts can reach, and no others', async () => {
    const { result } = await run(REACHABLE, { any: 'thing' })
    expect(names.toSorted()).toEqual((result as string[]).sort())
  })

  it('is right that methods of strings are the functions of string', async () => {
    const { result } = await run('return rawequal(getmetatable("").__index, string)')
    expect(result).toBe(true)
  })

  it('has each entry once, in its library', () => {
    const globals = LUA_LIBRARIES.find(({ name }) => name === 'base')!.functions
    expect(globals.filter(({ name }) => /[.:]/.test(name))).toEqual([])
    const strays = LUA_LIBRARIES.filter(({ name }) => name !== 'base').flatMap((library) =>
      library.functions.filter(({ name }) => name.split(/[.:]/)[0] !== library.name),
    )
    expect(strays).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  it('begins each signature with the name', () => {
    expect(LUA_FUNCTIONS.filter(({ name, signature }) => !signature.startsWith(name))).toEqual([])
  })

  it.each(LUA_ABSENT.map(({ name }) => name))('is right that there is no %s', async (name) => {
    const { result, error } = await run(`return ${name} == nil`)
    expect({ result, error }).toEqual({ result: true, error: undefined })
  })

  it('names everything absent that a stock Lua 5.4 has', async () => {
    const stock =
      'dofile loadfile string.dump io.popen io.tmpfile io.stdin io.read io.input io.output os.execute package.loadlib package.searchers package.searchpath debug.debug debug.gethook debug.getlocal debug.getmetatable debug.getregistry debug.getupvalue debug.getuservalue debug.setcstacklimit debug.sethook debug.setlocal debug.setmetatable debug.setupvalue debug.setuservalue debug.upvalueid debug.upvaluejoin'
    expect(LUA_ABSENT.map(({ name }) => name).sort()).toEqual(stock.split(' ').sort())
  })
})

describe('every example returns what it shows', () => {
  it.each(LUA_FUNCTIONS.map((entry) => [entry.name, entry] as const))('%s', async (_, entry) => {
    const { result, logs, error } = await run(entry.example!)
    expect({ error, result: JSON.stringify(result), logs }).toEqual({
      error: undefined,
      result: entry.returns ?? 'null',
      logs: entry.prints ?? [],
    })
  })
})

describe('the instructions to models', () => {
  const { absent, libraries, log, modules, ...told } = MODEL_SUMMARY

  it('are functions of the reference', () => {
    const spelt = [...Object.values(told).flat(), log, modules].map((name) =>
      name.replace(/\(.*/, ''),
    )
    expect(spelt.filter((name) => !names.includes(name))).toEqual([])
  })

  it('are libraries of the reference', () => {
    const known = LUA_LIBRARIES.map(({ name }) => name)
    expect(libraries.filter((name) => !known.includes(name))).toEqual([])
  })

  it('are names that are really absent', () => {
    const known = LUA_ABSENT.map(({ name }) => name)
    expect(absent.filter((name) => !known.includes(name))).toEqual([])
  })
})
