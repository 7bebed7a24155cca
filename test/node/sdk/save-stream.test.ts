/** Bodies that stream from a real server into the store: large ones, and ones that break off. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { inQuery, type ApiSketches } from '../../support/make-catalog.ts'
import { ORIGIN, type Answer } from '../../support/make-app.ts'
import { onePer } from '../../support/tier.ts'
import { watchedStorage, type StorageRequest } from '../../support/watched-storage.ts'
import { makeGate } from '../../support/gate.ts'
import { makeApiApp, type MakeApiAppOptions } from './make-api-app.ts'
import { sendJson, startApi, type Answering } from './start-api.ts'

const MIB = 1024 * 1024
const SECRET = 'the-secret-of-this-api'

const api = await startApi()
const files = await startApi()
afterAll(() => Promise.all([api.stop(), files.stop()]))

const SKETCHES: ApiSketches = {
  a: {
    baseUrl: api.origin,
    auth: { type: 'bearer', secret: 'SECRET' },
    downloadHosts: [new URL(files.origin).host],
    calls: { get: { params: [inQuery('cursor')] } },
  },
}

async function makeSaving(options: MakeApiAppOptions & { readonly failing?: Failing } = {}) {
  const inner = memoryStorage()
  const { failing, ...rest } = options
  let count = 0
  const storage = watchedStorage(inner, (request) => {
    if (request === failing?.request && ++count >= (failing.from ?? 1)) throw new Error('down')
  })
  const app = await makeApiApp(SKETCHES, { ...rest, storage, secrets: { SECRET } })
  /** What is in the store, as sizes by name, and what is unfinished. */
  async function stored() {
    const sizes: Record<string, number> = {}
    for await (const entry of inner.list('')) {
      if (entry.kind !== 'object') continue
      sizes[entry.object.key.split('/').slice(3).join('/')] = entry.object.bytes
    }
    return { sizes, unfinished: inner.unfinishedUploads() }
  }
  return { ...app, stored, inner }
}

interface Failing {
  readonly request: StorageRequest
  readonly from?: number
}

const NOTHING = { sizes: {}, unfinished: [] }
const SAVE = 'return sdk.a.get({}, {save_to = "big"})'
const ROWS = 'return sdk.a.get({}, {save_to = "big", rows = "items"})'
const DUMP = 'return sdk.dump(sdk.a.get, {}, {save_to = "big", rows = "items"})'

/** Writes pieces for as long as there are any, as fast as they are read. */
function sending(
  pieces: Iterable<Uint8Array | string>,
  headers: Record<string, string> = {},
  end: (response: ServerResponse) => void = (response) => response.end(),
): Answering {
  return async (_, response) => {
    const closed = new AbortController()
    response.on('close', () => closed.abort())
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers })
    for (const piece of pieces) {
      if (response.destroyed) return
      if (!response.write(piece))
        await once(response, 'drain', { signal: closed.signal }).catch(() => {})
    }
    end(response)
  }
}

function* repeated(piece: Uint8Array | string, times = Infinity) {
  for (let i = 0; i < times; i++) yield piece
}

describe('a large body', () => {
  it('is stored byte for byte', async () => {
    const app = await makeSaving()
    const pieces = Array.from({ length: 40 }, (_, i) => Buffer.alloc(MIB, `${i} piece `))
    const hash = createHash('sha256')
    for (const piece of pieces) hash.update(piece)
    api.answer(sending(pieces))
    const { result, files_touched: rows } = await app.run(SAVE)
    expect(result).toMatchObject({ path: 'big', bytes: 40 * MIB })
    expect(rows).toMatchObject([{ name: 'big', op: 'write', bytes: 40 * MIB }])
    const response = await app.app.request(rows[0]!.link!)
    const digest = createHash('sha256').update(new Uint8Array(await response.arrayBuffer()))
    expect(digest.digest('hex')).toBe(hash.digest('hex'))
    expect(await app.stored()).toEqual({ sizes: { big: 40 * MIB }, unfinished: [] })
  })

  it('can be read in the same run, and is stored at its end if that is wanted', async () => {
    const app = await makeSaving()
    const line = `${'x'.repeat(1023)}\n`
    api.answer(sending([...repeated(Buffer.from(line.repeat(1024)), 20)]))
    const count = 'local n = 0 for line in io.lines("big") do n = n + 1 end return n'
    const { result } = await app.run(`sdk.a.get({}, {save_to = "big"}) ${count}`)
    expect(result).toBe(20 * 1024)
    const later = await app.run(`sdk.a.get({}, {save_to = "b"}) return select(2, io.open("b"))`, {
      commit: 'on_success',
    })
    expect(later).toMatchObject({ result: 'b: File too large' })
    expect((await app.stored()).sizes).toEqual({ big: 20 * MIB, b: 20 * MIB })
    const failed = await app.run('sdk.a.get({}, {save_to = "c"}) error("no")', {
      commit: 'on_success',
    })
    expect(failed.files_touched).toMatchObject([{ name: 'c', stored: false }])
    expect(await app.stored()).toEqual({ sizes: { big: 20 * MIB, b: 20 * MIB }, unfinished: [] })
  })

  it('is read no faster than it is stored', async () => {
    const taken = { sent: 0, parts: 0 }
    const gate = makeGate()
    const inner = memoryStorage()
    const storage = watchedStorage(inner, async (request) => {
      if (request !== 'putPart') return
      taken.parts++
      await gate.opened
    })
    const app = await makeApiApp(SKETCHES, { storage, secrets: { SECRET } })
    function* counted() {
      for (const piece of repeated(Buffer.alloc(MIB, 'x'), 100)) {
        taken.sent += piece.length
        yield piece
      }
    }
    api.answer(sending(counted()))
    const running = app.run(SAVE)
    // Two parts are under way; then until nothing more is taken: sockets hold a few megabytes.
    for (let before = -1; taken.parts < 2 || before !== taken.sent;) {
      before = taken.sent
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    const ahead = taken.sent
    gate.open()
    expect((await running).result).toMatchObject({ bytes: 100 * MIB })
    expect(ahead).toBeLessThan(64 * MIB)
  })
})

const destroy = (response: ServerResponse) => void setTimeout(() => response.destroy(), 50)
const bomb = gzipSync(Buffer.alloc(64 * MIB))
const jsonBomb = gzipSync(`{"items":[${'"x",'.repeat(8 * MIB)}1]}`)

/** What is sent, and the code and message of the error. */
const BROKEN: [string, string, Answering, string, RegExp][] = [
  [
    'says that it is longer than it is',
    SAVE,
    sending(repeated(Buffer.alloc(MIB), 20), { 'Content-Length': String(30 * MIB) }, destroy),
    'network',
    /^a\.get: the (?:API could not be reached|response (?:ended early|could not be read to its end))$/,
  ],
  [
    'ends early',
    SAVE,
    sending(repeated(Buffer.alloc(MIB), 20), {}, destroy),
    'network',
    /(?:reached|to its end)$/,
  ],
  [
    'ends early in the middle of a row',
    ROWS,
    sending([`{"items":[${'{"a":1},'.repeat(100)}{"a"`], {}, destroy),
    'network',
    /(?:reached|to its end)$/,
  ],
  ['is no JSON', ROWS, sending(['<p>no</p>']), 'invalid_answer', /not JSON: byte 1 is unexpected$/],
  [
    'is no JSON after 20 MiB of rows',
    ROWS,
    sending(['{"items":[0', ...repeated(`,"${'x'.repeat(MIB - 10)}"`, 20), ',oops]}']),
    'invalid_answer',
    /not JSON: byte \d+ is unexpected$/,
  ],
  [
    'has no array',
    ROWS,
    sending(['{"data":{"items":[1]}}']),
    'invalid_answer',
    /no array at "items"$/,
  ],
  ['stops in the middle', ROWS, sending(['{"items":[1,2,']), 'invalid_answer', /ends early$/],
  [
    'has a row of 2 MiB',
    ROWS,
    sending(['{"items":["', ...repeated('x'.repeat(MIB), 2), '"]}']),
    'invalid_answer',
    /element 1 is larger than 1048576 bytes$/,
  ],
  [
    'is a bomb',
    SAVE,
    sending([bomb], { 'Content-Encoding': 'gzip' }),
    'limit',
    /^too many bytes saved from APIs \(max 33554432\)$/,
  ],
  [
    'is a bomb of rows',
    ROWS,
    sending([jsonBomb], { 'Content-Encoding': 'gzip' }),
    'limit',
    /^too many bytes saved from APIs \(max 33554432\)$/,
  ],
  [
    'never ends',
    SAVE,
    sending(repeated(Buffer.alloc(MIB))),
    'limit',
    /^too many bytes saved from APIs \(max 33554432\)$/,
  ],
]

describe('a body that', () => {
  it.each(BROKEN)('%s leaves nothing', async (_, script, answering, code, message) => {
    const app = await makeSaving({ limits: { saveBytes: 32 * MIB } })
    api.answer(answering)
    const call = script.replace('return ', '')
    expect(await app.raisedBy(call)).toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
    expect(await app.stored()).toEqual(NOTHING)
  })

  it.each([SAVE, ROWS, DUMP])('never ends does not outlive the deadline: %s', async (script) => {
    const app = await makeSaving({ limits: { saveBytes: 1024 * MIB } })
    const row = `,{"a":"${'x'.repeat(1000)}"}`.repeat(100)
    api.answer(async (request, response) => {
      const pieces = ['{"items":[0', ...repeated(row, 300)]
      await sending(pieces, {}, () => undefined)(request, response)
    })
    const { error } = await app.run(
      script.replace('return', 'pcall(function() return') + ' end) while true do end',
      {
        // A dump keeps half of a short time for its end.
        limits: { timeout_ms: script === DUMP ? 8000 : 1500 },
      },
    )
    expect(error).toMatchObject({ kind: 'timeout' })
    const { sizes, unfinished } = await app.stored()
    expect(unfinished).toEqual([])
    // A dump ends before the deadline, with what it has; the others are cut.
    expect(Object.keys(sizes)).toEqual(script === DUMP ? ['big'] : [])
  })

  it.each([SAVE, DUMP])('never ends is left when the caller leaves: %s', async (script) => {
    const app = await makeSaving({ limits: { saveBytes: 1024 * MIB } })
    const caller = new AbortController()
    api.answer(async (request, response) => {
      const pieces = ['{"items":[0', ...repeated(`,"${'x'.repeat(MIB - 20)}"`, 20)]
      await sending(pieces, {}, () => undefined)(request, response)
      caller.abort()
    })
    const request = new Request(`${ORIGIN}/execute`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await app.tokenOf()}` },
      body: JSON.stringify({ script }),
      signal: caller.signal,
    })
    const answer = (await (await app.app.fetch(request)).json()) as Answer
    expect(answer.error).toMatchObject({ kind: 'timeout', message: 'the caller has gone' })
    expect(await app.stored()).toEqual(NOTHING)
    expect(await api.seen[0]!.left).toBe(true)
  })

  it.each<[string, string]>([
    ['rows', '{"items":[0' + ',0'.repeat(3_000_000) + ']}'],
    ['a page', '{"items":[0' + ',0'.repeat(3_000_000) + ']}'],
  ])('takes more work than the run has fuel for ends with it: %s', async (kind, body) => {
    const app = await makeSaving()
    api.answer(sending([body]))
    const { error, result } = await app.run(kind === 'rows' ? ROWS : DUMP, {
      limits: { fuel: 10_000_000 },
    })
    if (kind === 'rows') expect(error).toMatchObject({ kind: 'fuel' })
    else expect(result).toMatchObject({ stopped: 'limit' })
    const { sizes, unfinished } = await app.stored()
    expect([Object.keys(sizes), unfinished]).toEqual([kind === 'rows' ? [] : ['big'], []])
  })
})

const FAILURES: (Failing & { readonly script: string })[] = [
  { request: 'complete', script: SAVE },
  { request: 'createUpload', script: DUMP },
  { request: 'putPart', from: 3, script: DUMP },
  { request: 'complete', script: DUMP },
  { request: 'createUpload', script: SAVE },
  { request: 'putPart', script: SAVE },
  { request: 'putPart', script: DUMP },
  { request: 'putPart', from: 3, script: SAVE },
]

describe('a store that fails at', () => {
  it.each(onePer(FAILURES, ({ request }) => request))(
    '$request (from $from) is an error of the call: $script',
    async ({ script, ...failing }) => {
      const app = await makeSaving({ failing })
      const row = `,"${'x'.repeat(1000)}"`
      api.answer(sending(['{"items":[0', ...repeated(row.repeat(1000), 26), ']}']))
      expect(await app.raisedBy(script.replace('return ', ''))).toEqual({
        code: 'file_error',
        message: 'big: Input/output error',
      })
      expect(await app.stored()).toEqual(NOTHING)
    },
  )
})

describe('names', () => {
  it('outside of the paths of the token are refused before anything is sent', async () => {
    const app = await makeSaving()
    api.answer(() => ({ items: [] }))
    for (const script of [
      SAVE,
      DUMP,
      `return sdk.download("${files.origin}/x", {save_to = "big"})`,
    ]) {
      const { error } = await app.run(script, {}, { paths: ['mine'] })
      expect(error?.message).toBe('path is not allowed')
      const readOnly = await app.run(script, {}, { scope: 'execute files:read' })
      expect(readOnly.error?.message).toContain('scope files:write is missing')
    }
    expect([api.seen, await app.stored()]).toEqual([[], NOTHING])
  })

  it('that the script has open get the content of the dump', async () => {
    const app = await makeSaving()
    api.answer(() => ({ items: [1, 2] }))
    const script = `
      local out = io.open("big", "w")
      out:write("mine")
      ${DUMP.replace('return', 'local dumped =')}
      out:write("late")
      out:close()
      return {dumped.bytes, io.open("big"):read("a")}`
    expect(await app.resultOf(script)).toEqual([4, '1\n2\n'])
    expect((await app.stored()).sizes).toEqual({ big: 4 })
  })

  it('of two dumps at once have one of them, whole', async () => {
    const app = await makeSaving()
    api.answer(({ query }) => ({ items: [query.get('cursor')], next_cursor: null }))
    const script = (cursor: string) => DUMP.replace('{}', `{cursor = "${cursor}"}`)
    const runs = await Promise.all(['a', 'bb'].map((cursor) => app.run(script(cursor))))
    expect(runs.map(({ error }) => error)).toEqual([undefined, undefined])
    const { sizes } = await app.stored()
    expect([4, 5]).toContain(sizes.big)
  })
})

describe('secrets', () => {
  it('are removed from what is saved, also where pieces split them', async () => {
    const app = await makeSaving()
    const text = `{"items":["${SECRET}","a"],"x":"${'y'.repeat(9000)}${SECRET}"}`
    for (let cut = 9; cut < 40; cut += 3) {
      api.answer(async (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' })
        for (const piece of [text.slice(0, cut), text.slice(cut, -12), text.slice(-12)]) {
          response.write(piece)
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
        response.end()
      })
      await app.resultOf(SAVE)
      const saved = await app.resultOf('return io.open("big"):read("a")')
      expect(saved).toBe(text.replaceAll(SECRET, '[redacted]'))
      expect(await app.resultOf(`${DUMP.slice(7)} return io.open("big"):read("a")`)).toBe(
        '"[redacted]"\n"a"\n',
      )
    }
  })

  it('do not follow a redirect to another server', async () => {
    const app = await makeSaving()
    api.answer((_, response) =>
      sendJson(response, 302, {}, { Location: `${files.origin}/f?sig=1` }),
    )
    files.answer((_, response) => response.end('exported'))
    const { result } = await app.run('return sdk.a.get({}, {save_to = "e"}).bytes + #sdk.a.get{}')
    expect(result).toBe(16)
    expect(api.seen.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Bearer ${SECRET}`),
    )
    const sent = files.seen.map(({ target, headers }) => [target, Object.keys(headers).sort()])
    const plain = ['accept', 'accept-encoding', 'accept-language', 'connection', 'host']
    for (const [target, names] of sent) {
      expect(target).toBe('/f?sig=1')
      expect(names).toEqual([...plain, 'sec-fetch-mode', 'user-agent'])
    }
    expect(sent).toHaveLength(2)
    const events = app.events.filter(({ event }) => event === 'redirect')
    expect(events).toMatchObject([{ function: 'a.get', status: 302 }, { function: 'a.get' }])
    expect(JSON.stringify(events)).not.toContain('sig')
  })

  it('are not sent with a download', async () => {
    const app = await makeSaving()
    files.answer((_, response) => response.end('file'))
    const script = `return sdk.download("${files.origin}/f", {save_to = "f"})`
    expect(await app.resultOf(script)).toMatchObject({ path: 'f', bytes: 4, status: 200 })
    expect(files.seen[0]!.headers).not.toHaveProperty('authorization')
    expect(files.seen[0]!.headers).not.toHaveProperty('cookie')
  })
})
