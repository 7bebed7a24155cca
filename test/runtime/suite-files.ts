/** Files in a runtime: operations, and their own bytes. */
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { REQUEST_ID, type Caller } from '../support/caller.ts'

export function describeFiles(caller: Caller): void {
  const { post, send, store } = caller
  const content = (path: string) => `/fs/content?path=${path}`

  async function operate(tenant: string, operation: string, input: object) {
    const response = await post(tenant, `/fs/${operation}`, input)
    return [response.status, await response.json()]
  }

  const metadata = (operation: string) => ({ operation, request_id: REQUEST_ID })

  describe('a file operation', () => {
    it('does what it is asked for', async () => {
      const tenant = 'operations'
      const done = (operation: string, data: unknown) => [
        200,
        { success: true, data, error: null, metadata: metadata(operation) },
      ]
      expect(await operate(tenant, 'write', { path: 'd/é.txt', content: 'one two' })).toEqual(
        done('write', { path: 'd/é.txt', bytes: 7, link: expect.any(String) }),
      )
      expect(await operate(tenant, 'edit', { path: 'd/é.txt', old: 'two', new: '2' })).toEqual(
        done('edit', { path: 'd/é.txt', replacements: 1, bytes: 5 }),
      )
      expect(await operate(tenant, 'read', { path: 'd/é.txt', encoding: 'hex' })).toEqual(
        done('read', {
          content: '6f6e652032',
          encoding: 'hex',
          bytes: 5,
          offset: 0,
          total_bytes: 5,
          truncated: false,
        }),
      )
      expect(await operate(tenant, 'list', {})).toEqual(
        done('list', {
          path: '.',
          entries: [{ name: 'd', path: 'd', type: 'folder', bytes: null, modified_at: null }],
          cursor: null,
        }),
      )
      expect(await operate(tenant, 'delete', { path: 'd', recursive: true })).toEqual(
        done('delete', { path: 'd', deleted: 1 }),
      )
    })

    it('copies, moves, appends and searches', async () => {
      const tenant = 'transfers'
      const answer = async (operation: string, input: object) => {
        const [status, body] = (await operate(tenant, operation, input)) as [
          number,
          { data: object },
        ]
        return [status, body.data]
      }
      await answer('write', { path: 'd/a', content: 'one\n' })
      expect(await answer('append', { path: 'd/a', content: 'two\n' })).toEqual([
        200,
        { path: 'd/a', bytes: 8, link: expect.any(String) },
      ])
      const copied = { path: 'e/b', copied: 1, bytes: 8 }
      expect(await answer('copy', { from: 'd/a', to: 'e/b' })).toEqual([200, copied])
      const moved = { path: 'share/f', moved: 1, bytes: 8 }
      expect(await answer('move', { from: 'e', to: 'share/f' })).toEqual([200, moved])
      expect(await answer('search', { pattern: '^t.o$', context: 1 })).toEqual([
        200,
        {
          matches: ['d/a', 'share/f/b'].map((path) => {
            return { path, line: 2, text: 'two', before: ['one'], after: [] }
          }),
          files: 2,
          skipped: [],
          cursor: null,
        },
      ])
      expect(await answer('read', { path: 'd/a', from_line: 2, lines: 1 })).toMatchObject([
        200,
        { content: 'two\n', offset: 4, truncated: false },
      ])
      expect(await answer('info', { path: 'd/a', sha256: true })).toMatchObject([
        200,
        { sha256: 'c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8' },
      ])
    })

    it('says in one sentence why it does not', async () => {
      expect(await operate('operations', 'read', { path: 'none.txt' })).toEqual([
        404,
        {
          success: false,
          data: null,
          error: 'There is no file "none.txt". Check the name, or list the folder it should be in.',
          code: 'not_found',
          metadata: metadata('read'),
        },
      ])
    })
  })

  describe("a file's own bytes", () => {
    it('come back as they were sent, whole and in part', async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256)
      const stored = await send('bytes', content('a.bin'), { method: 'PUT', body: bytes })
      const etag = stored.headers.get('ETag')!
      const whole = await send('bytes', content('a.bin'))
      expect(new Uint8Array(await whole.arrayBuffer())).toEqual(bytes)
      expect([whole.headers.get('ETag'), whole.headers.get('Content-Type')]).toEqual([
        etag,
        'application/octet-stream',
      ])
      const part = await send('bytes', content('a.bin'), { headers: { Range: 'bytes=1-3' } })
      expect([part.status, part.headers.get('Content-Range')]).toEqual([206, 'bytes 1-3/70000'])
      expect([...new Uint8Array(await part.arrayBuffer())]).toEqual([7, 14, 21])
      const same = await send('bytes', content('a.bin'), { headers: { 'If-None-Match': etag } })
      expect([same.status, await same.text()]).toEqual([304, ''])
    })

    it('may be five million', async () => {
      const text = `${'0123456789'.repeat(10)}\n`.repeat(49_505)
      const headers = { 'Content-Type': 'text/csv' }
      const put = await send('many', content('a.csv'), { method: 'PUT', headers, body: text })
      expect(put.status).toBe(200)
      const got = await (await send('many', content('a.csv'))).text()
      expect([got.length, got === text]).toEqual([5_000_005, true])
    })

    it('may be none', async () => {
      await send('none', content('a.txt'), { method: 'PUT', body: '' })
      const response = await send('none', content('a.txt'))
      expect([response.status, await response.text()]).toEqual([200, ''])
    })

    it('are not sent to those who ask for the head', async () => {
      await store('heads', { 'a.txt': 'text' })
      const response = await send('heads', content('a.txt'), { method: 'HEAD' })
      expect([response.status, response.headers.get('ETag'), await response.text()]).toEqual([
        200,
        '"1cb251ec0d568de6a929b520c4aed8d1"',
        '',
      ])
    })

    it.each([
      ['a+b.txt', 'a b.txt'],
      ['a%2Bb.txt', 'a+b.txt'],
      ['%C3%A9%20%26%3D%25.txt', 'é &=%.txt'],
      ['%E6%97%A5%E6%9C%AC/%F0%9F%8C%99.txt', '日本/🌙.txt'],
    ])('at the address %s are those of %s', async (written, path) => {
      const tenant = 'names'
      await send(tenant, content(written), { method: 'PUT', body: path })
      const response = await post(tenant, '/fs/read', { path })
      expect(await response.json()).toMatchObject({ data: { content: path } })
    })

    it('are asked for by headers that come more than once', async () => {
      await store('repeated', { 'a.txt': 'text' })
      const Authorization = `Bearer ${await caller.token('repeated')}`
      const asking = request(caller.at(content('a.txt')), {
        headers: {
          Authorization,
          'If-None-Match': ['"another"', '"1cb251ec0d568de6a929b520c4aed8d1"'],
        },
      })
      const [response] = await once(asking.end(), 'response')
      expect(response.resume().statusCode).toBe(304)
    })
  })
}
