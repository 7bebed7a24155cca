/** Bodies that stream from a real server into the store, byte for byte and without secrets. */
import { createHash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { isAll, onePer } from '../../support/tier.ts'
import {
  DUMP,
  makeSaving,
  MIB,
  NOTHING,
  repeated,
  SAVE,
  SECRET,
  sending,
  startServers,
  type Failing,
} from './make-saving.ts'
import { sendJson } from './start-api.ts'

const { api, files, mirror, sketches, stop } = await startServers()
afterAll(stop)

/** Beyond what a single put takes. */
const LARGE = isAll ? 40 : 17

describe('a large body', () => {
  it('is stored byte for byte', async () => {
    const app = await makeSaving(sketches)
    const pieces = Array.from({ length: LARGE }, (_, i) => Buffer.alloc(MIB, `${i} piece `))
    const hash = createHash('sha256')
    for (const piece of pieces) hash.update(piece)
    api.answer(sending(pieces))
    const { result, files_touched: rows } = await app.run(SAVE)
    expect(result).toMatchObject({ path: 'big', bytes: LARGE * MIB })
    expect(rows).toMatchObject([{ name: 'big', op: 'write', bytes: LARGE * MIB }])
    const response = await app.app.request(rows[0]!.link!)
    const digest = createHash('sha256').update(new Uint8Array(await response.arrayBuffer()))
    expect(digest.digest('hex')).toBe(hash.digest('hex'))
    expect(await app.stored()).toEqual({ sizes: { big: LARGE * MIB }, unfinished: [] })
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
      const { from } = failing
      const app = await makeSaving(sketches, { failing })
      const row = `,"${'x'.repeat(1000)}"`
      api.answer(
        sending(['{"items":[0', ...repeated(row.repeat(1000), from === 3 ? 26 : 18), ']}']),
      )
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
    const app = await makeSaving(sketches)
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
    const app = await makeSaving(sketches)
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
    const app = await makeSaving(sketches)
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
    const app = await makeSaving(sketches)
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
    const app = await makeSaving(sketches)
    api.answer((_, response) =>
      sendJson(response, 302, {}, { Location: `${files.origin}/f?sig=1` }),
    )
    files.answer((_, response) => void response.end('exported'))
    const { result } = await app.run('return sdk.a.get({}, {save_to = "e"}).bytes + #sdk.a.get{}')
    expect(result).toBe(16)
    expect(api.seen.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Bearer ${SECRET}`),
    )
    const sent = files.seen.map(({ target, headers }) => [target, Object.keys(headers).sort()])
    const plain = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent']
    for (const [target, names] of sent) {
      expect(target).toBe('/f?sig=1')
      expect(names).toEqual(plain)
    }
    expect(sent).toHaveLength(2)
    const events = app.events.filter(({ event }) => event === 'redirect')
    expect(events).toMatchObject([{ function: 'a.get', status: 302 }, { function: 'a.get' }])
    expect(JSON.stringify(events)).not.toContain('sig')
  })

  it('do not follow a download from one server to another', async () => {
    const app = await makeSaving(sketches)
    files.answer((_, response) =>
      sendJson(response, 307, {}, { Location: `${mirror.origin}/g?sig=2`, 'Set-Cookie': 'a=b' }),
    )
    mirror.answer((_, response) => void response.end('exported'))
    const script = `
      sdk.a.get{}
      return sdk.download("${files.origin}/f?sig=1", {save_to = "f"})`
    api.answer(() => ({}))
    expect(await app.resultOf(script)).toMatchObject({ path: 'f', bytes: 8, status: 200 })
    expect(api.seen[0]!.headers.authorization).toBe(`Bearer ${SECRET}`)
    const hops = [...files.seen, ...mirror.seen]
    expect(hops.map(({ target }) => target)).toEqual(['/f?sig=1', '/g?sig=2'])
    const own = ['authorization', 'cookie', 'referer', 'proxy-authorization', 'x-api-key']
    for (const { headers } of hops) {
      expect(Object.keys(headers).filter((name) => own.includes(name))).toEqual([])
      expect(JSON.stringify(headers)).not.toContain(SECRET)
    }
    const events = app.events.filter(({ event }) => event === 'redirect')
    expect(events).toMatchObject([{ function: 'sdk.download', status: 307 }])
  })

  it.each([
    ['http://169.254.169.254/latest', 'the address is not a public host name'],
    ['http://files.example/f', 'the address is not https'],
    ['https://files.example/f', 'the host is not in download_hosts'],
    ['http://127.0.0.1:9/f', 'the host is not in download_hosts'],
    [`http://me:pw@${new URL(mirror.origin).host}/f`, 'the address contains a credential'],
    [`${files.origin}/f`, 'it leads back to where it came from'],
  ])('are not at risk from a download that leads to %s', async (location, problem) => {
    const app = await makeSaving(sketches)
    mirror.answer(() => ({}))
    files.answer((_, response) => sendJson(response, 302, {}, { Location: location }))
    const download = `sdk.download("${files.origin}/f", {save_to = "f"})`
    expect(await app.raisedBy(download)).toEqual({
      code: 'redirect',
      status: 302,
      message: `sdk.download: the API sent a redirect, which is not followed: ${problem}`,
    })
    expect([files.seen.length, mirror.seen, await app.stored()]).toEqual([1, [], NOTHING])
  })

  it('are not sent with a download', async () => {
    const app = await makeSaving(sketches)
    files.answer((_, response) => void response.end('file'))
    const script = `return sdk.download("${files.origin}/f", {save_to = "f"})`
    expect(await app.resultOf(script)).toMatchObject({ path: 'f', bytes: 4, status: 200 })
    expect(files.seen[0]!.headers).not.toHaveProperty('authorization')
    expect(files.seen[0]!.headers).not.toHaveProperty('cookie')
  })
})
