/** The Retry-After header. */
import { expect, it } from 'vitest'
import { retryAfterMs } from '../../../src/sdk/call/retry-pause.ts'

const said = (text: string) => retryAfterMs(new Headers({ 'Retry-After': text }))

it.each<[string, number | undefined]>([
  ['0', 0],
  ['120', 120_000],
  ['1.5', 1500],
  ['999999999999', 999_999_999_999_000],
  ['9'.repeat(400), undefined],
  ['-1', undefined],
  ['soon', undefined],
  ['in 5 minutes', undefined],
  ['2026', 2_026_000],
  ['1 May', undefined],
  ['Wed, 99 Foo 2026 07:28:00 GMT', undefined],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
])('%j', (text, ms) => expect(said(text)).toBe(ms))

it('may be a date', () => {
  const ms = said(new Date(Date.now() + 60_000).toUTCString())!
  expect(ms).toBeGreaterThan(50_000)
  expect(ms).toBeLessThanOrEqual(60_000)
})

it('may be nothing', () => expect(retryAfterMs(new Headers())).toBeUndefined())
