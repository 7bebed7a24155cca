/** What follows a page, when it cannot be told. */
import { expect, it } from 'vitest'
import { PageStore } from '../../src/sdk/pages/page-store.ts'

it('a fault of our own is no page', async () => {
  const headers = new Headers()
  headers.get = () => {
    throw new TypeError('of our own')
  }
  const received = { status: 200, statusText: 'OK', headers, bytes: new Uint8Array() }
  const answer = { url: new URL('https://api.test/v1/list'), received, body: [{}] }
  const adding = new PageStore().add('a.list', [], answer, undefined)
  await expect(adding).rejects.toThrow(new TypeError('of our own'))
})
