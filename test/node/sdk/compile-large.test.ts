import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { writeModule } from '../../../src/sdk/compile/write-module.ts'
import { faultsOf } from '../../support/catalog-faults.ts'
import { compileGithub, compileKubernetesLike, github, kubernetes } from './large-specs.ts'

const MAX_GZIP_BYTES = 200_000

describe.each([
  ['GitHub', github, compileGithub, 1223],
  ['a cluster', kubernetes, compileKubernetesLike, 644],
] as const)('the catalog of %s', (_, known, compile, functions) => {
  it('is small, and the same each time', () => {
    const { texts, catalog } = known()
    expect(catalog.apis[0]?.functions).toBe(functions)
    expect(gzipSync(writeModule(texts)).length).toBeLessThan(MAX_GZIP_BYTES)
    expect(compile().texts).toEqual(texts)
  })

  it('has names, requests and types that can be used', () => {
    expect(faultsOf(known().catalog)).toEqual([])
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
