/** What a browser gets at wrong addresses, and of data. */
import { expect, it } from 'vitest'
import { makeApp } from '../support/make-app.ts'

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
])('a browser gets a page of %s; a program and a download its type', async (name, type, shown) => {
  const { app, run } = await makeApp()
  const { result } = await run(`return file.save("${name}", "1")`)
  const typeOf = async (accept: string, query = '') => {
    const response = await app.request(`${String(result)}${query}`, { headers: { Accept: accept } })
    return response.headers.get('Content-Type')
  }
  expect(await typeOf('text/html')).toBe('text/html; charset=UTF-8')
  expect(await typeOf('text/html', '&raw=1')).toBe(shown)
  expect(await typeOf('text/html', '&download=1')).toBe(type)
  expect(await typeOf('*/*')).toBe(type)
})
