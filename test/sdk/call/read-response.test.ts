/** An API's failure in one line. */
import { expect, it } from 'vitest'
import type { CallEntry } from '../../../src/sdk/catalog/catalog.ts'
import { readResponse } from '../../../src/sdk/call/read-response.ts'

/** Not looked at after a failure. */
const ENTRY = {} as CallEntry

function failure(body: string, contentType: string): string {
  const bytes = new TextEncoder().encode(body)
  const headers = new Headers({ 'Content-Type': contentType })
  const answer = { status: 400, statusText: 'Bad Request', headers, bytes }
  try {
    readResponse('pets.list', ENTRY, answer)
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}

it.each([
  [{ message: 'a', error: 'b' }, ': a'],
  [{ error: 'invalid_grant', error_description: 'a' }, ': a'],
  [{ title: 'a', detail: 'b' }, ': b'],
  [{ error: { code: 7, message: 'a' } }, ': a'],
  [{ errors: [{ message: 'a' }, { message: 'b' }] }, ': a'],
  [{ error: ['a', 'b'] }, ': a'],
  [{ error: { error: { error: { error: { error: 'a' } } } } }, ': a'],
  [{ error: { error: { error: { error: { error: { error: 'a' } } } } } }, ''],
  [{ message: 'a'.repeat(301) }, `: ${'a'.repeat(300)}`],
  [{ message: 7, code: 'x' }, ''],
  [null, ''],
])('of %j', (body, detail) => {
  expect(failure(JSON.stringify(body), 'application/json')).toBe(
    `pets.list: 400 Bad Request${detail}`,
  )
})

it.each([
  ['text', '{"message":"a"}', 'text/plain'],
  ['what is no JSON', '{"message":"a"', 'application/json'],
  ['too much JSON', `{"message":"a","more":"${'x'.repeat(65_536)}"}`, 'application/json'],
])('says the status alone for %s', (_, body, contentType) => {
  expect(failure(body, contentType)).toBe('pets.list: 400 Bad Request')
})
