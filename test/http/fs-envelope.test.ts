/** What every file operation has in common: one envelope, its statuses, scopes and schemas. */
import { describe, expect, it } from 'vitest'
import { FILE_OPERATIONS } from '../support/operations.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeContext } from '../support/call-route.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { makeFs } from '../support/make-fs.ts'
import { ORIGIN } from '../support/make-app.ts'
import { silentStorage, watchedStorage, type Watch } from '../support/watched-storage.ts'

/** An input that each operation takes; the file `a` has one line, "x". */
const INPUTS: Record<string, Record<string, unknown>> = {
  read: { path: 'a' },
  document: { path: 'a' },
  write: { path: 'b', content: '' },
  append: { path: 'a', content: '' },
  list: {},
  mkdir: { path: 'd' },
  copy: { from: 'a', to: 'b' },
  move: { from: 'a', to: 'b' },
  delete: { path: 'a' },
  exists: { path: 'a' },
  info: { path: 'a' },
  edit: { path: 'a', old: 'x', new: 'y' },
  find: { pattern: '*' },
  search: { pattern: 'x' },
  patch: { patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n' },
}

const ALL = ['get', 'getStream', 'head', 'put', 'list', 'delete', 'copy'] as const
const NOT_BOTH = 'if_match: cannot be combined with force'
const NAMES = Object.keys(INPUTS)
const WRITING = ['write', 'append', 'mkdir', 'copy', 'move', 'delete', 'edit', 'patch']

it('every operation is in the table', () => {
  expect(FILE_OPERATIONS.map(({ name }) => name)).toEqual(NAMES)
})

describe.each(NAMES)('%s', (name) => {
  const input = INPUTS[name]!

  it('answers in the envelope, for nobody to keep', async () => {
    const { fs, send } = await makeFs()
    await fs('write', { path: 'a', content: 'x\n' })
    const response = await send(`/fs/${name}`, { method: 'POST', body: JSON.stringify(input) })
    expect(await response.json()).toEqual({
      success: true,
      data: expect.any(Object) as object,
      error: null,
      metadata: { operation: name, request_id: response.headers.get('X-Request-Id') },
    })
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json/)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
  })

  it('goes on without its caller only when it writes', async () => {
    const { fs, app, tokenOf } = await makeFs()
    await fs('write', { path: 'a', content: 'x\n' })
    const { context, kept } = makeContext()
    const headers = { Authorization: `Bearer ${await tokenOf()}` }
    const request = { method: 'POST', headers, body: JSON.stringify(input) }
    await app.request(`${ORIGIN}/fs/${name}`, request, {}, context)
    expect(kept).toHaveLength(WRITING.includes(name) ? 1 : 0)
    await Promise.all(kept)
  })

  it.each([
    [{ ...input, unknown: 1 }, 422],
    [[], 422],
    [null, 422],
    ['{', 400],
    ['', 400],
  ])('refuses the body %j', async (body, status) => {
    const { ask } = await makeFs()
    const answer = await ask(name, body)
    expect(answer).toEqual({
      status,
      success: false,
      data: null,
      error: expect.stringMatching(/.+/) as string,
      code: status === 400 ? 'malformed' : 'invalid_request',
    })
  })

  it.each([
    ['no token', undefined, 401, 'Bearer realm="moonbucket"'],
    ['a bad one', 'Bearer nonsense', 401, 'Bearer realm="moonbucket", error="invalid_token"'],
  ])('challenges a caller with %s', async (_, authorization, status, challenge) => {
    const { app } = await makeFs()
    const response = await app.request(`${ORIGIN}/fs/${name}`, {
      method: 'POST',
      body: JSON.stringify(input),
      headers: authorization ? { Authorization: authorization } : {},
    })
    expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([status, challenge])
    expect(await response.json()).toEqual({
      success: false,
      data: null,
      error: expect.stringMatching(/token/) as string,
      code: 'unauthenticated',
      metadata: { operation: name, request_id: response.headers.get('X-Request-Id') },
    })
  })

  it('is 503 while the store is down, and the log says why', async () => {
    const { refusal, events } = await makeFs({ storage: failingStorage(memoryStorage(), ALL) })
    expect(await refusal(name, input)).toEqual([
      503,
      'The store cannot be reached right now. Try again shortly.',
    ])
    expect(events).toEqual([
      expect.objectContaining({
        event: 'fault',
        where: `POST /fs/${name}`,
        error: expect.stringContaining('the store is down') as string,
      }),
    ])
  })

  it('ends when its time is over', async () => {
    const storage = silentStorage(memoryStorage(), ALL)
    const { refusal } = await makeFs({ storage, env: { TIMEOUT_MS: '20' } })
    expect(await refusal(name, input)).toEqual([
      503,
      'This took longer than a request may take. Try again, or ask for less at once.',
    ])
  })

  it('is refused to tenants who ask too often', async () => {
    const { refusal } = await makeFs({ countRequest: async () => false })
    const message = 'Too many requests. Try again in a minute.'
    expect(await refusal(name, input)).toEqual([429, message])
  })
})

it.each([
  ['write', { path: 'a' }, 'content: must be a string'],
  ['write', { path: 1, content: '' }, 'path: must be a string'],
  ['write', { path: 'a', content: '', force: 'no' }, 'force: must be true or false'],
  ['list', { limit: 0 }, 'limit: must be at least 1'],
  ['list', { limit: 1001 }, 'limit: must be at most 1000'],
  ['find', { pattern: '' }, 'pattern: must not be empty'],
  ['find', { pattern: '*'.repeat(513) }, 'pattern: must have at most 512 characters'],
  ['find', { pattern: '{a,b}'.repeat(9) }, 'pattern: has more than 256 alternatives.'],
  [
    'find',
    { pattern: `*${'a'.repeat(250)}${'{b,c}'.repeat(8)}` },
    'pattern: is too complex. Ask for less at once.',
  ],
  ['append', { path: 'a' }, 'content: must be a string'],
  ['copy', { from: 'a' }, 'to: must be a string'],
  ['copy', { from: 'a', to: './/a' }, 'to: is the same path as from'],
  ['move', { from: 'a', to: 'b', force: true, if_match: 'x' }, NOT_BOTH],
  ['read', { path: 'a', from_line: 0 }, 'from_line: must be at least 1'],
  ['read', { path: 'a', lines: 0 }, 'lines: must be at least 1'],
  ['read', { path: 'a', from_line: 1, offset: 0 }, 'from_line: cannot be combined with offset'],
  [
    'read',
    { path: 'a', lines: 1, encoding: 'utf-16le' },
    'lines: cannot be counted in utf-16le. Use offset.',
  ],
  ['search', { pattern: '' }, 'pattern: must not be empty'],
  ['search', { pattern: 'x'.repeat(1001) }, 'pattern: must have at most 1000 characters'],
  ['search', { pattern: 'x', context: 11 }, 'context: must be at most 10'],
  ['search', { pattern: 'x', limit: 1001 }, 'limit: must be at most 1000'],
  ['search', { pattern: 'x', glob: '' }, 'glob: must not be empty'],
  ['edit', { path: 'a', old: '', new: 'x' }, 'old: must not be empty'],
  ['edit', { path: 'a', old: '\ud83d', new: 'x' }, 'old: must not hold half a surrogate pair'],
  ['edit', { path: 'a', old: 'x', new: '\ude00' }, 'new: must not hold half a surrogate pair'],
  [
    'edit',
    { path: 'a', old: 'x', new: 'x' },
    'new: is the same as old, so there is nothing to change',
  ],
])('%s refuses %j: %s', async (operation, input, message) => {
  const { refusal, fs } = await makeFs()
  await fs('write', { path: 'a', content: 'x' })
  expect(await refusal(operation, input)).toEqual([422, message])
})

it.each([
  [
    'patch',
    { patch: ' '.repeat(2_097_153) },
    'patch: must have at most 2097152 characters; send it in parts',
  ],
  [
    'edit',
    { path: 'a', old: 'x'.repeat(1_048_577), new: '' },
    'old: must have at most 1048576 characters',
  ],
])('%s refuses too much text', async (operation, input, message) => {
  const { refusal } = await makeFs()
  expect(await refusal(operation, input)).toEqual([422, message])
})

it('a body over its limit is refused', async () => {
  const { refusal } = await makeFs()
  const content = 'x'.repeat(16 * 1024 * 1024)
  expect(await refusal('write', { path: 'a', content })).toEqual([
    413,
    'The body is larger than 16777216 bytes.',
  ])
})

it.each(['/fs', '/fs/', '/fs/none', '/fs/read/x', '/fs/content/x'])(
  '%s is unknown to everybody',
  async (path) => {
    const { app } = await makeFs()
    const { status } = await app.request(`${ORIGIN}${path}`, { method: 'POST' })
    expect(status).toBe(404)
  },
)

it('a write that got through counts, although its answer was lost', async () => {
  const loseAnswer: Watch = (request) => {
    if (request === 'put') throw new Error('the answer was lost')
  }
  const storage = watchedStorage(memoryStorage(), () => {}, loseAnswer)
  const { fs, stored } = await makeFs({ storage })
  await fs('write', { path: 'a', content: 'x', force: false })
  expect(await stored()).toEqual({ 'users/alice/a': 'x' })
})
