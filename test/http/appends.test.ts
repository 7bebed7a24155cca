/** Runs that write to one file at the same time: appends add up, overwrites stay whole, edits do not get lost. */
import { describe, expect, it } from 'vitest'
import { PreconditionFailed } from '../../src/storage/driver.ts'
import type { PutOptions, StorageDriver } from '../../src/storage/driver.ts'
import { makeGate } from '../support/gate.ts'
import { lateStorage } from '../support/late-storage.ts'
import { makeApp, runtimeStorage, type Answer } from '../support/make-app.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const RUNS = 20
const LINES = 50

function linesOf(run: number): string[] {
  return Array.from({ length: LINES }, (_, i) => `${run} ${i + 1}`)
}

function inParallel(run: (number: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: RUNS }, (_, number) => run(number)))
}

/** A store whose answers are late lets every run read before the first has written. */
async function makeSlowApp() {
  return makeApp({ storage: lateStorage(await runtimeStorage()) })
}

describe(`${RUNS} runs that append ${LINES} lines each`, () => {
  const append = 'local f = io.open(args.path, "a") f:write(args.run, " ", i, "\\n") f:close()'
  const scripts = {
    'one open': `
      local f = io.open(args.path, "a")
      for i = 1, ${LINES} do f:write(args.run, " ", i, "\\n") end
      f:close()`,
    'an open for every line': `for i = 1, ${LINES} do ${append} end`,
    // Reading something unknown lets the queue store in the middle of the run.
    'uploads in between': `
      for i = 1, ${LINES} do ${append} if i % 10 == 0 then io.open("none" .. i) end end`,
  }
  const cases: [keyof typeof scripts, string, string][] = [
    ['one open', 'a new file', 'log.txt'],
    ['one open', 'a file that exists', 'log.txt'],
    ['one open', 'a new file of different users', 'share/log.txt'],
    ['an open for every line', 'a new file', 'log.txt'],
    ['an open for every line', 'a file that exists', 'log.txt'],
    ['an open for every line', 'a file of different users that exists', 'share/log.txt'],
    ['uploads in between', 'a new file', 'log.txt'],
    ['uploads in between', 'a file of different users that exists', 'share/log.txt'],
  ]

  it.each(cases)('with %s lose and repeat nothing in %s', async (name, kind, path) => {
    const { run, stored } = await makeSlowApp()
    const before = kind.includes('exists') ? ['begun'] : []
    if (before.length > 0) await run('io.open(args, "w"):write("begun\\n"):close()', { args: path })
    const isShared = path.startsWith('share/')
    const answers = await inParallel((number) =>
      run(
        scripts[name],
        { args: { path, run: String(number) } },
        isShared ? { sub: `user${number}` } : {},
      ),
    )
    expect(answers.flatMap(({ error }) => error ?? [])).toEqual([])

    const text = (await stored())[isShared ? path : `users/alice/${path}`]!
    const lines = text.split('\n').slice(0, -1)
    const wanted = [...before, ...answers.flatMap((_, number) => linesOf(number))]
    expect([...lines].sort()).toEqual([...wanted].sort())
    // What one run appended stays in its order.
    for (const number of answers.keys()) {
      expect(lines.filter((line) => line.startsWith(`${number} `))).toEqual(linesOf(number))
    }
    const sizes = answers.map(({ files_touched: [row] }) => row!.bytes)
    expect(Math.max(...sizes)).toBe(text.length)
  })
})

it('an append that others come before again and again is stored after them', async () => {
  const storage = await runtimeStorage()
  let others = 0
  const { run, stored } = await makeApp({
    storage: watchedStorage(storage, async (request, key) => {
      if (request !== 'put' || others === 45) return
      const before = (await storage.get(key))?.body ?? new Uint8Array()
      await storage.put(key, [before, new TextEncoder().encode(`other ${others++}\n`)])
    }),
  })
  const { error } = await run('io.open("log.txt", "a"):write("own\\n"):close()')
  expect(error).toBeUndefined()
  const lines = Array.from({ length: 45 }, (_, i) => `other ${i}\n`)
  expect(await stored()).toEqual({ 'users/alice/log.txt': [...lines, 'own\n'].join('') })
})

describe('an append that got through although the store says otherwise', () => {
  const answers = {
    fails: () => new Error('connection reset'),
    refuses: () => new PreconditionFailed(),
  }
  const cases = Object.keys(answers).flatMap((answer) =>
    ['', 'begun\n'].flatMap((before) =>
      [0, 1, 20].map((others) => [answer, before, others] as const),
    ),
  )

  it.each(cases)(
    'is not repeated: the store %s, it held %j, others appended %i times since',
    async (answer, before, others) => {
      const storage = await runtimeStorage()
      const other = await makeApp({ storage })
      const claims = { tenant: other.tenant }
      const append = (line: string) =>
        other.run('io.open("log.txt", "a"):write(args):close()', { args: line })
      let isAnswerLost = false
      const losing = watchedStorage(
        storage,
        () => {},
        async (request) => {
          if (request !== 'put' || isAnswerLost) return
          isAnswerLost = true
          for (let i = 0; i < others; i++) await append(`other ${i}\n`)
          throw answers[answer as keyof typeof answers]()
        },
      )
      const { run } = await makeApp({ storage: losing })
      if (before) await append(before)
      const { error } = await run('io.open("log.txt", "a"):write("own\\n"):close()', {}, claims)
      expect(error).toBeUndefined()
      const since = Array.from({ length: others }, (_, i) => `other ${i}\n`)
      const text = [before, 'own\n', ...since].join('')
      expect(await other.stored()).toEqual({ 'users/alice/log.txt': text })
    },
  )
})

it.each([1, 48])(
  'overwrites at once, of %i chunks, leave the whole content of one run',
  async (chunks) => {
    const { run, storage, tenant } = await makeSlowApp()
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((letter) =>
        run(
          `local f = io.open("a.bin", "w")
         for i = 1, ${chunks} do f:write(args:rep(65536)) end
         f:close()`,
          { args: letter },
        ),
      ),
    )
    expect(answers.flatMap(({ error }) => error ?? [])).toEqual([])
    const { body } = (await storage.get(`${tenant}/users/alice/a.bin`))!
    expect(body.length).toBe(chunks * 65_536)
    expect(new Set(body).size).toBe(1)
  },
)

it('edits in place at once: one is stored, and every other run reports the conflict', async () => {
  const { run, stored } = await makeApp({ storage: await holdingBackEdits() })
  await run('io.open("output/a.txt", "w"):write("________"):close()')
  const answers = await inParallel((number) =>
    run(
      `local f = io.open("output/a.txt", "r+")
       f:seek("set", 2)
       f:write(args)
       f:close()
       return "edited"`,
      { args: String.fromCodePoint(97 + number) },
    ),
  )
  const winners = answers.flatMap(({ error }, number) => (error ? [] : [number]))
  expect(winners).toHaveLength(1)
  expect(await stored()).toEqual({
    'users/alice/output/a.txt': `__${String.fromCodePoint(97 + winners[0]!)}_____`,
  })
  const losers = answers.filter(({ error }) => error)
  for (const loser of losers) {
    expect(loser).toEqual({
      result: 'edited',
      logs: [],
      files_touched: [{ name: 'output/a.txt', op: 'write', bytes: 8, stored: false }],
      error: {
        kind: 'storage',
        message: 'not everything was stored; changed by someone else in the meantime: output/a.txt',
      },
    })
  }
})

/** Every run has read the file before the first edit of it is stored. */
async function holdingBackEdits(): Promise<StorageDriver> {
  let edits = 0
  const all = makeGate()
  return watchedStorage(await runtimeStorage(), async (request, _key, _body, options) => {
    if (request !== 'put' || (options as PutOptions | undefined)?.ifMatch === undefined) return
    if (++edits === RUNS) all.open()
    await all.opened
  })
}
