import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { writeModule } from '../../../infra/build/apis/compile-catalog.ts'
import { faultsOf } from '../../support/catalog-faults.ts'
import { inPath } from '../../support/make-catalog.ts'
import { isAll } from '../../support/tier.ts'
import { compileGithub, compileKubernetesLike, github, kubernetes } from './large-specs.ts'

const MAX_GZIP_BYTES = 200_000

const CATALOGS = [
  ['a cluster', kubernetes, compileKubernetesLike, 644],
  ['GitHub', github, compileGithub, 1223],
] as const

// GitHub's specification is there when everything is tested.
describe.each(isAll ? CATALOGS : [CATALOGS[0]])(
  'the catalog of %s',
  (_, known, compile, functions) => {
    it('is small, and the same each time', () => {
      const { texts, catalog } = known()
      expect(catalog.apis[0]?.functions).toBe(functions)
      expect(gzipSync(writeModule(texts)).length).toBeLessThan(MAX_GZIP_BYTES)
      expect(compile().texts).toEqual(texts)
    })

    it('has names, requests and types that can be used', () => {
      expect(faultsOf(known().catalog)).toEqual([])
    })
  },
)

it('a property called $ref is a property', () => {
  const { catalog } = kubernetes()
  expect(catalog.typesOf('cluster').JSONSchemaProps?.text).toBe(
    '{ "$ref"?: string, allOf?: JSONSchemaProps[], properties?: { [key]: JSONSchemaProps } }',
  )
})

it.runIf(isAll)('GitHub tells what it does not do', () => {
  expect(github().warnings).toEqual([
    expect.stringMatching(
      /releases\/\{release_id\}\/assets\.post\.servers: https:\/\/uploads\.github\.com is not used/,
    ),
  ])
})

it.runIf(isAll)('GitHub’s functions are those one reads about', () => {
  const check = { type: 'string' } as const
  expect(github().catalog.callsOf('github').issues_create).toEqual({
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues',
    params: [
      inPath('owner', { check, description: 'The account owner of the repository.' }),
      inPath('repo', {
        check,
        description: 'The name of the repository without the .git extension.',
      }),
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
