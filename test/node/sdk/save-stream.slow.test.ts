/** Large bodies within a run, and no faster than the store takes them. */
import { afterAll, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { watchedStorage } from '../../support/watched-storage.ts'
import { makeGate } from '../../support/gate.ts'
import { makeApiApp } from './make-api-app.ts'
import { makeSaving, MIB, repeated, SAVE, SECRET, sending, startServers } from './make-saving.ts'

const { api, sketches, stop } = await startServers()
afterAll(stop)

/** Beyond what a single put takes. */
const LARGE = 20

describe('a large body', () => {
  it('can be read in the same run, and is stored at its end if that is wanted', async () => {
    const app = await makeSaving(sketches)
    const line = `${'x'.repeat(1023)}\n`
    api.answer(sending([...repeated(Buffer.from(line.repeat(1024)), LARGE)]))
    const count = 'local n = 0 for line in io.lines("big") do n = n + 1 end return n'
    const { result } = await app.run(`sdk.a.get({}, {save_to = "big"}) ${count}`)
    expect(result).toBe(LARGE * 1024)
    const later = await app.run(`sdk.a.get({}, {save_to = "b"}) return select(2, io.open("b"))`, {
      commit: 'on_success',
    })
    expect(later).toMatchObject({ result: 'b: File too large' })
    expect((await app.stored()).sizes).toEqual({ big: LARGE * MIB, b: LARGE * MIB })
    const failed = await app.run('sdk.a.get({}, {save_to = "c"}) error("no")', {
      commit: 'on_success',
    })
    expect(failed.files_touched).toMatchObject([{ name: 'c', stored: false }])
    expect(await app.stored()).toEqual({
      sizes: { big: LARGE * MIB, b: LARGE * MIB },
      unfinished: [],
    })
  })

  it('is read no faster than it is stored', async () => {
    const total = 100
    const taken = { sent: 0, parts: 0 }
    const gate = makeGate()
    const inner = memoryStorage()
    const storage = watchedStorage(inner, async (request) => {
      if (request !== 'putPart') return
      taken.parts++
      await gate.opened
    })
    const app = await makeApiApp(sketches, { storage, secrets: { SECRET } })
    function* counted() {
      for (const piece of repeated(Buffer.alloc(MIB, 'x'), total)) {
        taken.sent += piece.length
        yield piece
      }
    }
    api.answer(sending(counted()))
    const running = app.run(SAVE)
    // Two parts are under way; then until nothing more is taken: sockets hold a few megabytes.
    for (let before = -1; taken.parts < 2 || before !== taken.sent;) {
      before = taken.sent
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    const ahead = taken.sent
    gate.open()
    expect((await running).result).toMatchObject({ bytes: total * MIB })
    expect(ahead).toBeLessThan(64 * MIB)
  })
})
