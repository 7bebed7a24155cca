/** How models learn what scripts can call, and bring credentials: the tools beside `execute_script`. */
import { afterAll, describe, expect, it } from 'vitest'
import { API_TOOLS } from '../../support/operations.ts'
import { definitionOf } from '../../../src/mcp/tool.ts'
import { inPath, inQuery, type ApiSketches } from '../../support/make-catalog.ts'
import { makeApp } from '../../support/make-app.ts'
import { askMcp, callTool } from './call-tool.ts'
import { makeApiApp } from './make-api-app.ts'
import { startApi } from './start-api.ts'

const SECRET = 'the-token-of-the-operator'
const NAMES = ['list_apis', 'search_docs', 'list_functions', 'get_function_docs', 'get_schema']

const api = await startApi()
afterAll(() => api.stop())

const many = Object.fromEntries(
  Array.from({ length: 120 }, (_, i) => [`f${i}`, { summary: `Function ${i}` }]),
)

const SKETCHES: ApiSketches = {
  pets: {
    title: 'Pet Store',
    description: 'Pets and their owners.',
    baseUrl: api.origin,
    auth: { type: 'bearer', secret: 'TOKEN' },
    takesCallerAuth: true,
    calls: {
      get_pet: {
        path: '/pets/{id}',
        params: [
          inPath('id', { description: 'Of the pet.' }),
          inQuery('fields'),
          inQuery('account', { frozen: 'frozen-value', description: 'Frozen.' }),
        ],
        returns: 'Pet',
        summary: 'Get one pet',
        description: 'By its number.',
      },
    },
    types: { Pet: { text: '{ id: integer, owner: Owner }' }, Owner: { text: '{ name: string }' } },
  },
  large: {
    title: 'Large',
    baseUrl: api.origin,
    auth: { type: 'bearer', secret: 'TOKEN' },
    calls: many,
  },
}

const make = () => makeApiApp(SKETCHES, { secrets: { TOKEN: SECRET } })

/** The data of a tool, which is also its text. */
async function dataOf(name: string, args: object = {}): Promise<unknown> {
  const { structuredContent, content, isError } = await callTool(await make(), name, args)
  expect(isError).toBeUndefined()
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  const tool = API_TOOLS.find((candidate) => candidate.name === name)!
  expect(tool.output().safeParse(structuredContent).success).toBe(true)
  expect(JSON.stringify(structuredContent)).not.toMatch(/frozen-value|the-token/)
  return structuredContent
}

async function refusalOf(name: string, args: object = {}): Promise<string> {
  const { isError, content } = await callTool(await make(), name, args)
  expect(isError).toBe(true)
  return (content as { text: string }[])[0]!.text
}

describe('the tools', () => {
  const listed = async (app: Parameters<typeof askMcp>[0]) => {
    const { result } = await askMcp(app, 'tools/list')
    return (result as { tools: { name: string; description: string }[] }).tools
  }

  it('are there where an API is configured', async () => {
    const tools = await listed(await make())
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(NAMES))
    const script = tools.find(({ name }) => name === 'execute_script')!
    expect(script.description).toContain('sdk.<api>.<function>')
  })

  it('are absent where none is', async () => {
    const app = await makeApp()
    const tools = await listed(app)
    expect(tools.filter(({ name }) => NAMES.includes(name))).toEqual([])
    expect(tools.find(({ name }) => name === 'execute_script')!.description).not.toContain('sdk')
    const { error } = await askMcp(app, 'tools/call', { name: 'list_apis', arguments: {} })
    expect(error).toMatchObject({
      message: expect.stringContaining('Unknown tool: list_apis') as string,
    })
  })

  it('only read', () => {
    for (const tool of API_TOOLS) {
      expect(definitionOf(tool).annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
      })
    }
  })

  it('are for those who may run scripts', async () => {
    const app = await make()
    const params = { name: 'list_apis', arguments: {} }
    const { error } = await askMcp(app, 'tools/call', params, { scope: 'files:read' })
    expect(error).toMatchObject({ data: { code: 'forbidden' } })
  })
})

describe('answers', () => {
  it('list_apis', async () => {
    expect(await dataOf('list_apis')).toEqual({
      apis: [
        { name: 'pets', title: 'Pet Store', description: 'Pets and their owners.', functions: 1 },
        { name: 'large', title: 'Large', description: '', functions: 120 },
      ],
    })
  })

  it('search_docs', async () => {
    expect(await dataOf('search_docs', { query: 'get one pet' })).toEqual({
      hits: [
        {
          name: 'pets.get_pet',
          signature: '{ id: string, fields?: string } → Pet',
          summary: 'Get one pet',
        },
      ],
    })
    expect(await dataOf('search_docs', { query: '' })).toEqual({ hits: [] })
    expect(await dataOf('search_docs', { query: 'x '.repeat(500_000) })).toEqual({ hits: [] })
  })

  it('list_functions page by page', async () => {
    const names: string[] = []
    const sizes: number[] = []
    let cursor: string | null | undefined
    while (cursor !== null) {
      const page = (await dataOf('list_functions', {
        api: 'large',
        ...(cursor && { cursor }),
      })) as {
        functions: { name: string; summary: string }[]
        cursor: string | null
      }
      names.push(...page.functions.map(({ name }) => name))
      sizes.push(page.functions.length)
      ;({ cursor } = page)
    }
    expect(names).toEqual(Object.keys(many))
    expect(sizes).toEqual([50, 50, 20])
  })

  it('get_function_docs', async () => {
    expect(await dataOf('get_function_docs', { name: 'pets.get_pet' })).toEqual({
      docs: [
        'sdk.pets.get_pet{ id: string, fields?: string } → Pet',
        'Get one pet',
        'By its number.',
        '- id: Of the pet.',
        'Pet = { id: integer, owner: Owner }',
      ].join('\n'),
    })
    expect(await dataOf('get_function_docs', { name: 'get_pet' })).toHaveProperty('docs')
  })

  it('get_schema', async () => {
    expect(await dataOf('get_schema', { name: 'pets.Owner' })).toEqual({
      schema: 'Owner = { name: string }',
    })
  })
})

describe('refusals', () => {
  it.each<[string, object, string]>([
    ['list_functions', { api: 'pet' }, 'There is no API "pet"; did you mean "pets"?'],
    ['list_functions', { api: 'x' }, 'There is no API "x"; there are pets, large.'],
    ['list_functions', { api: '__proto__' }, 'There is no API "__proto__"; there are pets, large.'],
    ['list_functions', { api: 'large', cursor: 'x' }, 'cursor: must come from a previous response'],
    ['list_functions', {}, 'api: must be a string'],
    ['list_functions', { api: 'large', page: 2 }, 'Unrecognized key: "page"'],
    [
      'get_function_docs',
      { name: 'pets.get_pets' },
      'the API pets has no function "get_pets"; did you mean "get_pet"?',
    ],
    [
      'get_function_docs',
      { name: 'constructor' },
      'unknown API or function "constructor"; APIs: pets, large',
    ],
    ['get_schema', { name: 'pets.Ownr' }, 'The API pets has no type "Ownr"; did you mean "Owner"?'],
    ['get_schema', { name: 'pets' }, 'The API pets has no type "".'],
    ['get_schema', { name: '__proto__.x' }, 'There is no API "__proto__"; there are pets, large.'],
    ['get_schema', { name: 'pets.__proto__' }, 'The API pets has no type "__proto__".'],
    ['search_docs', { query: 5 }, 'query: must be a string'],
  ])('%s of %j', async (name, args, message) => {
    expect(await refusalOf(name, args)).toBe(message)
  })

  it('of endless names are short and quick', async () => {
    for (const long of [
      'x'.repeat(1_000_000),
      '.'.repeat(1_000_000),
      `pets.${'x'.repeat(1_000_000)}`,
    ]) {
      for (const name of ['get_schema', 'get_function_docs']) {
        expect((await refusalOf(name, { name: long })).length).toBeLessThan(300)
      }
    }
    expect((await refusalOf('list_functions', { api: 'x'.repeat(1_000_000) })).length).toBeLessThan(
      300,
    )
  })
})

describe('credentials of callers, beside the arguments', () => {
  const script = 'return sdk.pets.get_pet{id = 1}'
  const run = async (auth: unknown) =>
    callTool(await make(), 'execute_script', { script }, { auth } as object)

  it('take the place of the operator’s', async () => {
    api.answer(() => ({ ok: true }))
    expect(await run({ pets: 'my-own-token' })).toMatchObject({
      structuredContent: { result: { ok: true } },
    })
    expect(api.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer my-own-token'])
    expect(await run(undefined)).toMatchObject({ structuredContent: { result: { ok: true } } })
    expect(api.seen[1]!.headers.authorization).toBe(`Bearer ${SECRET}`)
  })

  it('do not come back', async () => {
    api.answer(({ headers }) => ({ echo: headers.authorization }))
    const text = JSON.stringify(await run({ pets: 'my-own-token' }))
    expect(text).toContain('Bearer [redacted]')
    expect(text).not.toContain('my-own-token')
  })

  it.each<[string, unknown, string]>([
    [
      'an API that takes none',
      { large: 'x' },
      'auth.large: does not accept credentials from callers',
    ],
    ['no API', { nothing: 'x' }, 'auth.nothing: is not an API of this service'],
    [
      'no credential',
      { pets: 5 },
      'auth.pets: must be a token or key, or {username, password}, of at most 8192 characters',
    ],
    ['no object', 'x', 'auth: must be an object'],
  ])('are refused for %s', async (_, auth, message) => {
    api.answer(() => ({}))
    expect(await run(auth)).toEqual({ isError: true, content: [{ type: 'text', text: message }] })
    expect(api.seen).toEqual([])
  })

  it('are no arguments', async () => {
    const app = await make()
    const result = await callTool(app, 'execute_script', { script, auth: { pets: 'x' } })
    expect(result).toMatchObject({ isError: true })
  })
})
