/** What a browser shows of links that do not open, of wrong addresses, and of data. */
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { AppError, type ErrorCode } from '../../src/errors.ts'
import type { AppEnv } from '../../src/http/app-env.ts'
import { respondWithError } from '../../src/http/respond-with-error.ts'
import { makeApp } from '../support/make-app.ts'

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

it('an address that does not exist is a page for people, with a way back, and JSON for programs', async () => {
  const { app } = await makeApp()
  const page = await app.request('/nowhere', { headers: { Accept: 'text/html,*/*' } })
  expect([page.status, page.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=UTF-8'])
  expect(await page.text()).toContain('<a href="/">')
  const answer = await app.request('/nowhere')
  expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } })
})

it.each([
  ['rows.csv', 'text/csv; charset=utf-8', 'text/plain; charset=utf-8'],
  ['rows.jsonl', 'application/x-ndjson', 'text/plain; charset=utf-8'],
  ['rows.json', 'application/json', 'application/json'],
  ['notes.txt', 'text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
])('a browser shows %s, a program and a download get its type', async (name, type, shown) => {
  const { app, run } = await makeApp()
  const { result } = await run(`return file.save("${name}", "1")`)
  const typeOf = async (accept: string, query = '') => {
    const response = await app.request(`${String(result)}${query}`, { headers: { Accept: accept } })
    return response.headers.get('Content-Type')
  }
  expect(await typeOf('text/html')).toBe(shown)
  expect(await typeOf('text/html', '&download=1')).toBe(type)
  expect(await typeOf('*/*')).toBe(type)
})
