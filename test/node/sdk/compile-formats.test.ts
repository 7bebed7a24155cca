import { tempFolder } from '../../support/temp-folder.ts'
import { mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileCatalog } from '../../../infra/build/apis/compile-catalog.ts'
import { help } from '../../../src/sdk/catalog/help.ts'
import { compileFiles, compileSpec, failureOf, openapi, swagger } from './compile-spec.ts'

const paths = { '/things': { get: { operationId: 'find' } } }
const pets = readFileSync(resolve(import.meta.dirname, 'specs/pets.yaml'), 'utf8')

describe('a specification', () => {
  it.each(['3.0.0', '3.0.4', '3.1.1', '3.2.0', '3.1'])('of OpenAPI %s is read', (version) => {
    expect(compileSpec({ ...openapi(paths), openapi: version }).names).toEqual(['find'])
  })

  it('of Swagger 2 is read', () => {
    const { names, catalog } = compileSpec(swagger(paths))
    expect(names).toEqual(['find'])
    expect(catalog.apis[0]?.baseUrl).toBe('https://shop.example/v1')
  })

  it.each([
    ['swagger: 2.0\nhost: shop.example\n', 'a number for a version'],
    ['openapi: 3.1\nservers: [{url: "https://shop.example"}]\n', 'another'],
    ['\uFEFFopenapi: 3.1.0\nservers: [{url: "https://shop.example"}]\n', 'a byte order mark'],
    ['{openapi: 3.1.0, servers: [{url: "https://shop.example"}]}', 'braces'],
  ])('in YAML is read: %j, with %s', (text) => {
    const all = text.startsWith('{')
      ? text.replace(/\}$/, ', paths: {/things: {get: {operationId: find}}}}')
      : `${text}paths: {/things: {get: {operationId: find}}}\n`
    expect(compileSpec(all).names).toEqual(['find'])
  })

  it('in YAML keeps dates as strings and applies merge keys', () => {
    const spec = `
openapi: 3.0.0
servers: [{ url: https://shop.example }]
x-common: &common { schema: { type: string, enum: [2026-01-01, yes] }, in: query }
paths:
  /things:
    get:
      operationId: find
      parameters:
        - { <<: *common, name: day }
`
    expect(compileSpec(spec).param('find', 'day')?.type).toBe('"2026-01-01" | "yes"')
  })

  it.each([
    ['shop.json', '{"openapi": "3.0.0",, }', /^shop\.json: is not JSON: .*line 1 column 21/],
    ['shop.yaml', 'openapi: 3.0.0\n  paths: {', /^shop\.yaml: is not YAML: .* \(line 2, column/],
    ['shop.yaml', 'a: 1\na: 2\n', /duplicated mapping key \(line 2, column 1\)/],
    ['shop.yaml', `a: ${'['.repeat(2000)}`, /is not YAML: nesting exceeded/],
    ['shop.yaml', '- openapi: 3.0.0\n', /its top level is not an object/],
    ['shop.yaml', '', /is not YAML/],
    ['shop.json', '[]', /is not an OpenAPI document/],
    ['shop.json', '{"info": {}}', /there is no "openapi" version/],
    [
      'shop.json',
      '{"openapi": "4.0.0"}',
      /has version "4\.0\.0"; supported: OpenAPI 3\.0, 3\.1, 3\.2/,
    ],
    ['shop.json', '{"swagger": "1.2"}', /has version "1\.2"/],
    ['shop.json', '{"openapi": {"__proto__": 1}}', /has version/],
  ])('that is none fails the build: %s %j', (file, text, message) => {
    const settings = `[apis.shop]\nspec = "${file}"\n`
    const [line, ...others] = failureOf(() =>
      compileFiles({ [file]: text, 'moonbucket.toml': settings }),
    )
    expect(line).toMatch(message)
    expect(others).toEqual([])
  })

  it.each([
    ['gone.json', 'gone.json: no such file'],
    ['folder', 'folder: no such file'],
    ['https://shop.example/openapi.json', /must be a file: download it first$/],
    ['huge.json', 'huge.json: has more than 64 MB'],
  ])('that cannot be read fails the build: %s', (file, message) => {
    const folder = tempFolder({
      'moonbucket.toml': `[apis.shop]\nspec = "${file}"\n`,
      'huge.json': '{',
    })
    mkdirSync(join(folder, 'folder'))
    truncateSync(join(folder, 'huge.json'), 65 * 1024 * 1024)
    const compile = () => compileCatalog(join(folder, 'moonbucket.toml'), 'moonbucket.toml')
    expect(failureOf(compile)).toEqual([expect.stringMatching(message)])
  })
})

it('a whole specification becomes what a script needs to know', () => {
  const { catalog, warnings } = compileSpec(
    pets,
    'auth = { type = "api_key", secret = "PETS_KEY" }\nwrite = true\n',
  )
  expect(warnings).toEqual([])
  expect(catalog.apis).toEqual([
    {
      name: 'shop',
      title: 'Pets',
      description: 'Keeps pets and their owners. Second sentence.',
      kind: 'openapi',
      baseUrl: 'https://eu.pets.example/v2',
      auth: { type: 'api_key', in: 'header', name: 'X-Api-Key', secret: 'PETS_KEY' },
      functions: 5,
    },
  ])
  expect(catalog.functionsOf('shop')).toEqual([
    { name: 'list_pets', method: 'GET', path: '/pets', summary: 'List pets', tags: ['pets'] },
    { name: 'create_pet', method: 'POST', path: '/pets', summary: 'Create a pet', tags: ['pets'] },
    { name: 'get_pet', method: 'GET', path: '/pets/{petId}', summary: 'Get a pet' },
    {
      name: 'delete_pet',
      method: 'DELETE',
      path: '/pets/{petId}',
      summary: 'Delete a pet',
      isDeprecated: true,
    },
    {
      name: 'get_health',
      method: 'GET',
      path: '/health',
      summary: 'Whether the service is well',
    },
  ])
  expect(catalog.callsOf('shop').get_health).toEqual({
    method: 'GET',
    path: '/health',
    params: [],
    returns: 'string',
    isPublic: true,
  })
  expect(help(catalog, 'shop.create_pet')).toBe(
    [
      'sdk.shop.create_pet{ X_Tenant: string, body: NewPet } → Pet',
      'Create a pet',
      'NewPet = { name: string, born?: date | null }',
      'Pet = NewPet & { id: integer, parents?: Pet[] }',
    ].join('\n'),
  )
})
