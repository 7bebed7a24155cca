import { expect, it } from 'vitest'
import { github } from './large-specs.ts'

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
