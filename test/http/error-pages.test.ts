/** What a person reads who opened a link that does not open. */
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { AppError, type ErrorCode } from '../../src/errors.ts'
import type { AppEnv } from '../../src/http/app-env.ts'
import { respondWithError } from '../../src/http/respond-with-error.ts'

it.each<[ErrorCode | undefined, number, string]>([
  ['malformed', 400, 'This link is broken'],
  ['too_large', 413, 'This link is broken'],
  ['forbidden', 403, 'This link cannot be opened'],
  ['not_found', 404, 'Not found'],
  ['rate_limited', 429, 'Try again later'],
  [undefined, 500, 'Try again later'],
  ['storage_unavailable', 503, 'Try again later'],
])('%s has the status %i and the title %j', async (code, status, title) => {
  const app = new Hono<AppEnv>().onError(respondWithError(() => undefined))
  app.get('/files/out', () => {
    throw code === undefined ? new Error('unforeseen') : new AppError(code, 'A reason.')
  })
  const response = await app.request('/files/out', { headers: { Accept: 'text/html' } })
  expect(response.status).toBe(status)
  expect(await response.text()).toContain(`<h1>${title}</h1>`)
})
