/** Bodies that break off, lie or never end: nothing of them is stored, and no upload is left. */
import type { ServerResponse } from 'node:http'
import { randomBytes } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { ORIGIN, type Answer } from '../../support/make-app.ts'
import { isAll } from '../../support/tier.ts'
import {
  DUMP,
  makeSaving,
  MIB,
  NOTHING,
  repeated,
  ROWS,
  SAVE,
  sending,
  startServers,
} from './make-saving.ts'
import type { Answering } from './start-api.ts'

const { api, sketches, stop } = await startServers()
afterAll(stop)

const destroy = (response: ServerResponse) => void setTimeout(() => response.destroy(), 50)
/** Beyond what a single put takes: a part is under way. */
const LARGE = 17
const MAX_BYTES = LARGE * MIB
const TOO_MANY = new RegExp(`^too many bytes saved from APIs \\(max ${MAX_BYTES}\\)$`)
const bomb = gzipSync(Buffer.alloc(2 * MAX_BYTES))
const jsonBomb = gzipSync(`{"items":[${`"${'x'.repeat(97)}",`.repeat((2 * MAX_BYTES) / 100)}1]}`)
const text = `{"items":["${randomBytes(65_536).toString('hex')}",1,2]}`
const zipped = gzipSync(text)
const cut = zipped.subarray(0, zipped.length / 2)
const brotli = brotliCompressSync(text)
const cutBrotli = brotli.subarray(0, brotli.length / 2)
/** The checksum and the length are missing, and every byte of the content is there. */
const cutTrailer = zipped.subarray(0, -4)

/** Closes the connection, which is the end of a body without a length. */
const closing =
  (encoding: string, body: Uint8Array): Answering =>
  (_, response) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`
    response.socket!.write(head)
    response.socket!.end(body)
  }

/** What is sent, and the code and message of the error. */
const BROKEN: [string, string, Answering, string, RegExp][] = [
  [
    'says that it is longer than it is',
    SAVE,
    sending(repeated(Buffer.alloc(MIB), LARGE), { 'Content-Length': String(30 * MIB) }, destroy),
    'network',
    /^a\.get: the (?:API could not be reached|response (?:ended early|could not be read to its end))$/,
  ],
  [
    'ends early',
    SAVE,
    sending(repeated(Buffer.alloc(MIB), LARGE), {}, destroy),
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
    `is no JSON after ${LARGE - 1} MiB of rows`,
    ROWS,
    sending(['{"items":[0', ...repeated(`,"${'x'.repeat(MIB - 3)}"`, LARGE - 1), ',oops]}']),
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
  ['is a bomb', SAVE, sending([bomb], { 'Content-Encoding': 'gzip' }), 'limit', TOO_MANY],
  [
    'is a bomb of rows',
    ROWS,
    sending([jsonBomb], { 'Content-Encoding': 'gzip' }),
    'limit',
    TOO_MANY,
  ],
  [
    'is compressed and cut, although its length is right',
    SAVE,
    sending([cut], { 'Content-Encoding': 'gzip', 'Content-Length': String(cut.length) }),
    'network',
    /could not be read to its end$/,
  ],
  ['is compressed and cut, without a length', SAVE, closing('gzip', cut), 'network', /to its end$/],
  ['is compressed and ends in the trailer', SAVE, closing('gzip', cutTrailer), 'network', /end$/],
  ['is one byte of gzip', SAVE, closing('gzip', zipped.subarray(0, 1)), 'network', /end$/],
  ['is brotli and cut', SAVE, closing('br', cutBrotli), 'network', /to its end$/],
  [
    'is compressed rows and cut',
    ROWS,
    closing('gzip', cut),
    'network',
    /could not be read to its end$/,
  ],
  ['never ends', SAVE, sending(repeated(Buffer.alloc(MIB))), 'limit', TOO_MANY],
]

describe('a body that', () => {
  it.each(BROKEN)('%s leaves nothing', async (_, script, answering, code, message) => {
    const app = await makeSaving(sketches, { limits: { saveBytes: MAX_BYTES } })
    api.answer(answering)
    const call = script.replace('return ', '')
    expect(await app.raisedBy(call)).toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
    expect(await app.stored()).toEqual(NOTHING)
  })

  it('is compressed and cut is no page of a dump', async () => {
    const app = await makeSaving(sketches)
    api.answer(closing('gzip', cut))
    expect(await app.raisedBy(DUMP.replace('return ', ''))).toMatchObject({ code: 'network' })
    expect(await app.stored()).toEqual(NOTHING)
  })

  it.each(['gzip', 'br'])('is empty, and said to be %s, is an empty file', async (encoding) => {
    const app = await makeSaving(sketches)
    api.answer(sending([], { 'Content-Encoding': encoding }))
    expect(await app.resultOf(SAVE)).toMatchObject({ bytes: 0 })
    expect(await app.stored()).toEqual({ sizes: { big: 0 }, unfinished: [] })
  })

  it.each(isAll ? [SAVE, ROWS, DUMP] : [SAVE])(
    'never ends does not outlive the deadline: %s',
    async (script) => {
      const app = await makeSaving(sketches, { limits: { saveBytes: 1024 * MIB } })
      const row = `,{"a":"${'x'.repeat(1000)}"}`.repeat(100)
      api.answer(async (request, response) => {
        const pieces = ['{"items":[0', ...repeated(row, 300)]
        await sending(pieces, {}, () => undefined)(request, response)
      })
      const { error } = await app.run(
        script.replace('return', 'pcall(function() return') + ' end) while true do end',
        {
          // A dump keeps half of a short time for its end.
          limits: { timeout_ms: script === DUMP ? 8000 : 1000 },
        },
      )
      expect(error).toMatchObject({ kind: 'timeout' })
      const { sizes, unfinished } = await app.stored()
      expect(unfinished).toEqual([])
      // A dump ends before the deadline, with what it has; the others are cut.
      expect(Object.keys(sizes)).toEqual(script === DUMP ? ['big'] : [])
    },
  )

  it.each(isAll ? [SAVE, DUMP] : [DUMP])(
    'never ends is left when the caller leaves: %s',
    async (script) => {
      const app = await makeSaving(sketches, { limits: { saveBytes: 1024 * MIB } })
      const caller = new AbortController()
      api.answer(async (request, response) => {
        const pieces = ['{"items":[0', ...repeated(`,"${'x'.repeat(MIB - 20)}"`, LARGE)]
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
    },
  )

  it.each<[string, string]>([
    ['rows', '{"items":[0' + ',0'.repeat(3_000_000) + ']}'],
    ['a page', '{"items":[0' + ',0'.repeat(3_000_000) + ']}'],
  ])('takes more work than the run has fuel for ends with it: %s', async (kind, body) => {
    const app = await makeSaving(sketches)
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
