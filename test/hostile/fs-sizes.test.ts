/** Small requests that ask for much: they are refused before it is there. */
import { describe, expect, it } from 'vitest'
import { jsonBytesOf } from '../../src/operations/files/file-encoding.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeFs } from '../support/make-fs.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const tooLarge = (bytes: number) =>
  `The file would have ${bytes} bytes, more than the 10485760 that are allowed. Split it, or write it from a script.`

describe('edit', () => {
  it('measures before it replaces', async () => {
    const { fs, refusal } = await makeFs()
    await fs('write', { path: 'a', content: 'x'.repeat(100_000) })
    const input = { path: 'a', old: 'x', new: 'é'.repeat(6000), all: true }
    expect(await refusal('edit', input)).toEqual([413, tooLarge(1_200_000_000)])
  })

  it('replaces each of a million characters', async () => {
    const { fs, stored } = await makeFs()
    await fs('write', { path: 'a', content: 'x'.repeat(1_000_000) })
    expect(await fs('edit', { path: 'a', old: 'x', new: '日', all: true })).toMatchObject({
      replacements: 1_000_000,
      bytes: 3_000_000,
    })
    expect((await stored())['users/alice/a']).toBe('日'.repeat(1_000_000))
  })

  it('finds what is everywhere but for one character', async () => {
    const { fs, refusal } = await makeFs()
    await fs('write', { path: 'a', content: 'x'.repeat(4_000_000) })
    const half = 'x'.repeat(500_000)
    for (const old of [`y${half}`, `${half}y`, `${half}y${half}`]) {
      expect((await refusal('edit', { path: 'a', old, new: '' }))[0]).toBe(409)
    }
  })

  it.each([
    ['aabaabaaab', 'aabaaa', 'X', 'aabXb'],
    ['aaaaa', 'aa', 'b', 'bba'],
    ['abababa', 'aba', '', 'b'],
    ['é日é', 'é', 'e', 'e日e'],
    ['', 'x', 'y', null],
  ])('in %j replaces %j with %j: %j', async (content, old, text, after) => {
    const { fs, ask, stored } = await makeFs()
    await fs('write', { path: 'a', content })
    const { status } = await ask('edit', { path: 'a', old, new: text, all: true })
    expect(status).toBe(after === null ? 409 : 200)
    expect(await stored()).toEqual({ 'users/alice/a': after ?? content })
  })
})

describe('read', () => {
  it('refuses an answer far larger than its file', async () => {
    const { fs, refusal } = await makeFs({ env: { MAX_FILE_SIZE: '1000' } })
    await fs('write', { path: 'a', content: '\u0001'.repeat(334) })
    expect(await refusal('read', { path: 'a' })).toEqual([
      413,
      'This content is too long for an answer in utf-8. Ask for base64, or for a part with offset and length.',
    ])
    expect(await fs('read', { path: 'a', encoding: 'base64' })).toMatchObject({ bytes: 334 })
    expect(await fs('read', { path: 'a', length: 333 })).toMatchObject({ bytes: 333 })
  })

  it.each(['', 'a"\\/', '\0\u0001\b\t\n\v\f\r\u001f\u007f', 'é\u2028日😀', '\ud83d', '\ude00x'])(
    'knows how long %j is in JSON',
    (text) => {
      const bytes = new TextEncoder().encode(JSON.stringify(text)).length
      expect(jsonBytesOf(text)).toBe(bytes)
    },
  )

  it.each([
    ['read', { path: 'a' }],
    ['edit', { path: 'a', old: 'x', new: 'y' }],
    ['patch', { patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n' }],
  ])('is refused to %s before a byte of a large file comes', async (operation, input) => {
    const storage = memoryStorage()
    const met: string[] = []
    const { refusal, tenant } = await makeFs({
      env: { MAX_FILE_SIZE: '10' },
      storage: {
        ...watchedStorage(storage, (request) => void (request === 'get' && met.push('get'))),
        async getStream(key, options) {
          const object = (await storage.getStream(key, options))!
          const source = {
            pull: () => void met.push('pull'),
            cancel: () => void met.push('cancel'),
          }
          return { ...object, body: new ReadableStream(source, { highWaterMark: 0 }) }
        },
      },
    })
    await storage.put(`${tenant}/users/alice/a`, new Uint8Array(11))
    const [status, message] = await refusal(operation, input)
    expect([status, message?.split(',')[0]]).toEqual([413, '"a" has 11 bytes'])
    expect(met).toEqual(['cancel'])
  })
})
