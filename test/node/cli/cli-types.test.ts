/** `moonbucket types`: definition files for the Lua language server, which editors read. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { apiStubs } from '../../../src/cli/types/api-stubs.ts'
import { LUA_FUNCTIONS } from '../../../src/lua-reference/lua-functions.ts'
import {
  catalogTexts,
  inHeader,
  inPath,
  inQuery,
  type ApiSketches,
} from '../../support/make-catalog.ts'
import { runLua } from '../../support/run-lua.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { runCli, startCli } from './cli-process.ts'
import { annotationFaults } from './luals-grammar.ts'

let folder: string

beforeEach(() => {
  folder = tempFolder()
})

const read = (...names: string[]) => readFileSync(join(folder, ...names), 'utf8')
const stubsOf = (sketches: ApiSketches) => [...apiStubs(catalogTexts(sketches)).values()].join('\n')

/** Neither Lua nor annotations have faults. */
async function expectReadable(text: string): Promise<void> {
  expect(annotationFaults(text)).toEqual([])
  const { error } = await runLua('assert(load(args))', { args: text })
  expect(error).toBeUndefined()
}

describe('the files', () => {
  it('have everything that a script can use, in the grammar of the language server', async () => {
    const written = await runCli(folder, 'types')
    expect(written).toEqual({
      exitCode: 0,
      stdout: '2 files in .luals\n.luarc.json tells editors to use them\n',
      stderr: '',
    })
    expect(readdirSync(join(folder, '.luals')).sort()).toEqual(['moonbucket.lua', 'sdk.shop.lua'])
    const text = read('.luals', 'moonbucket.lua')
    expect(text.startsWith('---@meta\n')).toBe(true)
    await expectReadable(text)
    await expectReadable(read('.luals', 'sdk.shop.lua'))
    const missing = LUA_FUNCTIONS.filter(
      ({ name, summary }) =>
        !(text.includes(`\nfunction ${name}(`) || text.includes(`\n${name} = nil\n`)) ||
        !text.includes(`\n--- ${summary}\n`),
    )
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  it('give names, types and documentation', async () => {
    await runCli(folder, 'types', '--out', 'types/lua')
    const text = read('types', 'lua', 'moonbucket.lua')
    expect(text).toContain(
      `---@param path string|file*
---@param options? { header?: boolean, separator?: string }
---@return fun(...: any): any, any
function csv.rows(path, options) end`,
    )
    expect(text).toContain('---@return file*? handle\n---@return string? message\n')
    expect(JSON.parse(read('.luarc.json'))).toMatchObject({
      'runtime.version': 'Lua 5.4',
      'runtime.path': ['lib/?.lua', 'lib/?/init.lua'],
      'workspace.library': ['types/lua'],
    })
  })

  it('leave the settings of an editor alone, and say what they need', async () => {
    writeFileSync(join(folder, '.luarc.json'), '{"mine": true}')
    const { stdout } = await runCli(folder, 'types')
    expect(stdout).toContain('.luarc.json is there already; it needs:\n{\n  "runtime.version"')
    expect(read('.luarc.json')).toBe('{"mine": true}')
  })

  it('cannot be where a file is', async () => {
    writeFileSync(join(folder, 'taken'), '')
    const { exitCode, stderr } = await runCli(folder, 'types', '--out', 'taken')
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^moonbucket: .*moonbucket\.lua cannot be written \(\w+\)\n$/),
    ])
  })
})

describe('an API', () => {
  it('of moonbucket.toml is compiled, without its secrets', async () => {
    mkdirSync(join(folder, 'specs'))
    const spec = {
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1' },
      servers: [{ url: 'https://pets.example' }],
      paths: {
        '/pets/{id}': {
          get: {
            operationId: 'getPet',
            summary: 'One pet',
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
            responses: {
              200: {
                description: '',
                content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
              },
            },
          },
        },
      },
      components: {
        schemas: {
          Pet: {
            type: 'object',
            required: ['id'],
            properties: {
              id: { type: 'integer' },
              born: { type: 'string', format: 'date' },
              parent: { $ref: '#/components/schemas/Pet' },
            },
          },
        },
      },
    }
    writeFileSync(join(folder, 'specs/pets.json'), JSON.stringify(spec))
    const settings = `[apis.pets]\nspec = "specs/pets.json"\nauth = { type = "bearer", secret = "PETS" }`
    writeFileSync(join(folder, 'moonbucket.toml'), settings)
    expect((await startCli(folder, 'types').ended).exitCode).toBe(0)
    const text = read('.luals', 'sdk.pets.lua')
    expect(text).toBe(`---@meta
-- Written by \`moonbucket types\`, which replaces it.

--- Pets
---@class sdk.pets
sdk.pets = {}

---@class sdk.pets.Pet
---@field id integer
---@field born? string
---@field parent? sdk.pets.Pet

---@class sdk.pets.get_pet.args
---@field id integer

--- One pet
---@param args sdk.pets.get_pet.args
---@param options? sdk.options
---@return sdk.pets.Pet
sdk.pets.get_pet = function(args, options) end
`)
    await expectReadable(text)
  })

  it('has types of every form', async () => {
    const types = {
      Kind: { text: '"a" | "b" | … | null' },
      Odd: { text: '{ "x-y"?: (string | integer)[], end: 1.5, in?: true, [key]: any, … }' },
      Both: { text: 'Kind & Odd' },
      Quoted: { text: '"say \\"hi\\"" | "b\\\\c"' },
      Broken: { text: '{ a: , }' },
      Deep: { text: `${'('.repeat(500)}string${')'.repeat(500)}` },
    }
    const params = [
      inPath('id', { type: 'Kind' }),
      inQuery('page-size', { type: 'integer | Unknown', description: 'How many.\n---@class evil' }),
      inHeader('X-Org', { frozen: 'acme' }),
    ]
    const body = { contentTypes: ['application/json'], type: 'Odd[]', isRequired: true } as const
    const calls = { 'list-all': { params, body, returns: 'Both | datetime' }, ping: {} }
    const text = stubsOf({ a: { types, calls } })
    await expectReadable(text)
    expect(text).toContain('---@alias sdk.a.Kind "a"|"b"|nil\n')
    expect(text).toContain(
      '---@class sdk.a.Odd\n---@field ["x-y"]? (string|integer)[]\n---@field ["end"] number\n---@field ["in"]? true\n---@field [string] any\n',
    )
    expect(text).toContain('---@alias sdk.a.Both sdk.a.Kind|sdk.a.Odd\n')
    expect(text).toContain('---@alias sdk.a.Quoted string\n')
    expect(text).toContain('---@alias sdk.a.Broken any\n')
    expect(text).toContain('---@alias sdk.a.Deep any\n')
    expect(text).toContain('---@field page_size? any How many. ---@class evil\n')
    expect(text).not.toContain('X-Org')
    expect(text).toContain('sdk.a["list-all"] = function(args, options) end')
  })

  it('cannot add code or annotations by its texts', async () => {
    const evil = 'x\n]] os.exit() --[[\r---@class evil\u2028@param y z'
    const text = stubsOf({
      a: {
        title: `@class ${evil}`,
        description: evil,
        types: { T: { text: evil, description: evil } },
        calls: { f: { summary: `@return ${evil}`, description: evil, returns: evil } },
      },
    })
    await expectReadable(text)
    const code = text.split('\n').filter((line) => line !== '' && !line.startsWith('--'))
    expect(code).toEqual(['sdk.a = {}', 'sdk.a.f = function(args, options) end'])
    expect(text.match(/^---@class .*/gm)).toEqual(['---@class sdk.a'])
    expect(text.match(/^--- +@/gm)).toBeNull()
  })

  it('that is an MCP server takes any tool', async () => {
    const text = stubsOf({ crm: { kind: 'mcp' } })
    await expectReadable(text)
    expect(text).toContain(
      '---@class sdk.crm\n---@field [string] fun(args?: table, options?: sdk.options): any\nsdk.crm = {}',
    )
  })
})
