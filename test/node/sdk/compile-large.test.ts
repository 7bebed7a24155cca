import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { buildRequest } from '../../../src/sdk/build-request.ts'
import type { Catalog, ParamEntry } from '../../../src/sdk/catalog.ts'
import { checkArguments, keysOf } from '../../../src/sdk/check-arguments.ts'
import { writeModule } from '../../../src/sdk/compile/write-module.ts'
import { compileGithub, compileKubernetesLike, github, kubernetes } from './large-specs.ts'

const MAX_GZIP_BYTES = 200_000
const SAMPLES = {
  integer: 1,
  number: 1.5,
  boolean: true,
  array: ['a'],
  object: { a: 1 },
  string: 'a',
}

describe.each([
  ['GitHub', github, compileGithub, 'github', 1223],
  ['a cluster', kubernetes, compileKubernetesLike, 'cluster', 644],
] as const)('the catalog of %s', (_, known, compile, api, functions) => {
  it('is small, and the same each time', () => {
    const { texts, catalog } = known()
    expect(catalog.apis[0]?.functions).toBe(functions)
    expect(gzipSync(writeModule(texts)).length).toBeLessThan(MAX_GZIP_BYTES)
    expect(compile().texts).toEqual(texts)
  })

  it('has a function for every name, and a type for every name', () => {
    const { catalog } = known()
    const calls = catalog.callsOf(api)
    const names = catalog.functionsOf(api).map(({ name }) => name)
    expect(Object.keys(calls)).toEqual(names)
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([])
    expect(unknownTypes(catalog, api)).toEqual([])
  })

  it('makes a request out of every function', () => {
    const { catalog } = known()
    for (const [name, call] of Object.entries(catalog.callsOf(api))) {
      const args = Object.fromEntries(call.params.map((param) => [keysOf(param)[1], sample(param)]))
      expect(() => checkArguments(name, catalog.apis[0]!, call, args)).not.toThrow()
      const { url } = buildRequest(name, catalog.apis[0]!, call, args)
      expect(url.href).not.toMatch(/%7B|undefined/)
    }
  })
})

it('GitHub tells what it does not do', () => {
  expect(github().warnings).toEqual([
    expect.stringMatching(
      /releases\/\{release_id\}\/assets\.post\.servers: https:\/\/uploads\.github\.com is not used/,
    ),
  ])
})

it('GitHub’s functions are those one reads about', () => {
  const { catalog } = github()
  expect(catalog.callsOf('github').issues_create).toEqual({
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues',
    params: [
      {
        name: 'owner',
        in: 'path',
        isRequired: true,
        type: 'string',
        check: { type: 'string' },
        description: 'The account owner of the repository.',
      },
      {
        name: 'repo',
        in: 'path',
        isRequired: true,
        type: 'string',
        check: { type: 'string' },
        description: 'The name of the repository without the .git extension.',
      },
    ],
    body: {
      contentTypes: ['application/json'],
      isRequired: true,
      type: 'IssuesCreateBody',
      required: ['title'],
      fields: expect.arrayContaining(['title', 'body', 'labels', 'assignees', 'milestone']),
    },
    returns: 'Issue',
    description: expect.stringMatching(
      /^Any user with pull access to a repository can create an issue\./,
    ),
  })
})

it('a property called $ref is a property', () => {
  const { catalog } = kubernetes()
  expect(catalog.typesOf('cluster').JSONSchemaProps?.text).toBe(
    '{ "$ref"?: string, allOf?: JSONSchemaProps[], properties?: { [key]: JSONSchemaProps } }',
  )
})

function sample({ check }: ParamEntry): unknown {
  return check?.enum?.[0] ?? SAMPLES[check?.type ?? 'string']
}

/** Words of types that are neither types nor names of fields. */
function unknownTypes(catalog: Catalog, api: string): string[] {
  const types = catalog.typesOf(api)
  const plain =
    'any binary boolean date datetime false integer key never null number object string true'
  const known = new Set([...Object.keys(types), ...plain.split(' ')])
  const calls = Object.values(catalog.callsOf(api))
  const texts = [
    ...Object.values(types).map(({ text }) => text),
    ...calls.flatMap(({ params, body, returns }) => [
      ...params.map(({ type }) => type),
      body?.type ?? 'any',
      returns ?? 'any',
    ]),
  ]
  return texts
    .map((text) => text.replace(/"(?:[^"\\]|\\.)*"/g, 'string').replace(/\w+\??:/g, ''))
    .flatMap((text) => (text === '' ? ['nothing'] : (text.match(/[A-Za-z_]\w*/g) ?? [])))
    .filter((word) => !known.has(word))
}
