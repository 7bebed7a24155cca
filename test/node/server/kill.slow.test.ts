/**
 * The service is killed at any moment: what it acknowledged is whole, and what it did not is whole or not there.
 *
 * KILL_ROUNDS=50 makes it a long test; KILL_SEED chooses the moments.
 */
import { expect, it } from 'vitest'
import { callerOf } from '../../support/caller.ts'
import type { Answer } from '../../support/make-app.ts'
import { Random } from '../../support/random.ts'
import { startKillable } from './kill-server.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 2)
const SEED = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = 50
const PARALLEL_RUNS = 8
const ROUND_MS = 60_000

/** Large enough to be torn. */
const textOf = (id: string, name: string) => `${id} ${name}\n`.repeat(3_000)

/** Files of its own, one of them renamed, one grown in two steps; one line of a log and one file that all share. */
const SCRIPT = `
  local id = args.id
  local function save(name, mode, text)
    local file = assert(io.open(name, mode))
    assert(file:write(text))
    assert(file:close())
  end
  local function textOf(name) return (id .. " " .. name .. "\\n"):rep(3000) end
  save(id .. "/one", "w", textOf("one"))
  save(id .. "/draft", "w", textOf("final"))
  save(id .. "/grown", "a", "first\\n")
  io.list(id)
  assert(os.rename(id .. "/draft", id .. "/final"))
  save("log", "a", id .. "\\n")
  save("current", "w", textOf("current"))
  io.list(id)
  save(id .. "/grown", "a", "second\\n")
`

/** All that a file may ever hold, and what it holds once its run was acknowledged. */
const OWN_FILES: Record<string, (id: string) => { versions: string[]; last: string | undefined }> =
  {
    one: (id) => ({ versions: [textOf(id, 'one')], last: textOf(id, 'one') }),
    draft: (id) => ({ versions: [textOf(id, 'final')], last: undefined }),
    final: (id) => ({ versions: [textOf(id, 'final')], last: textOf(id, 'final') }),
    grown: () => ({ versions: ['first\n', 'first\nsecond\n'], last: 'first\nsecond\n' }),
  }

/** Whether the service said that everything is stored; a connection that breaks says nothing. */
async function isAcknowledged(origin: string, id: string): Promise<boolean> {
  const answer = await callerOf(() => origin)
    .post('acme', '/execute', { script: SCRIPT, args: { id } })
    .then((response) => response.json() as Promise<Answer>)
    .catch(() => undefined)
  if (answer === undefined) return false
  expect([id, answer.error]).toEqual([id, undefined])
  expect(answer.files_touched.filter((row) => row.stored === false)).toEqual([])
  return true
}

/** Everything there is, read as callers do. */
async function readAll(origin: string): Promise<Map<string, string>> {
  const { post, send } = callerOf(() => origin)
  const texts = new Map<string, string>()
  let cursor: string | null = null
  do {
    const input = { recursive: true, limit: 1000, ...(cursor && { cursor }) }
    const response = await post('acme', '/fs/list', input)
    const { data } = (await response.json()) as {
      data: { entries: { path: string; type: string; bytes: number }[]; cursor: string | null }
    }
    for (const { path, type, bytes } of data.entries) {
      if (type !== 'file') continue
      const content = await send('acme', `/fs/content?path=${encodeURIComponent(path)}`)
      const text = await content.text()
      expect([path, text.length]).toEqual([path, bytes])
      texts.set(path, text)
    }
    cursor = data.cursor
  } while (cursor)
  return texts
}

/** Every promise against what is left. */
function whatIsWrong(texts: Map<string, string>, begun: Map<string, boolean>): string[] {
  const wrong: string[] = []
  const lines = (texts.get('log') ?? '').split('\n')
  if (lines.pop() !== '') wrong.push('log is torn')
  for (const line of lines) if (!begun.has(line)) wrong.push(`log has ${JSON.stringify(line)}`)
  const current = texts.get('current')
  const currents = [...begun.keys()].map((id) => textOf(id, 'current'))
  if (current !== undefined && !currents.includes(current)) wrong.push('current is torn')

  for (const [id, isTold] of begun) {
    const times = lines.filter((line) => line === id).length
    if (times > 1 || (isTold && times === 0)) wrong.push(`${id} is in the log ${times} times`)
    for (const [name, of] of Object.entries(OWN_FILES)) {
      const text = texts.get(`${id}/${name}`)
      const { versions, last } = of(id)
      if (text !== undefined && !versions.includes(text)) wrong.push(`${id}/${name} is torn`)
      if (isTold && text !== last) wrong.push(`${id}/${name} is not what was acknowledged`)
    }
  }
  const known = [...begun.keys()].flatMap((id) =>
    Object.keys(OWN_FILES).map((name) => `${id}/${name}`),
  )
  const strange = [...texts.keys()].filter((path) => !['log', 'current', ...known].includes(path))
  return [...wrong, ...strange.map((path) => `${path} is nobody's`)]
}

it(
  `keeps whole what it acknowledged, killed ${ROUNDS} times, seed ${SEED}`,
  async () => {
    const random = new Random(SEED)
    const persist = tempFolder()
    const begun = new Map<string, boolean>()
    let server = await startKillable(persist)
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const left = Array.from({ length: RUNS }, (_, run) => `r${round}-${run}`)
        let untilKill = random.below(RUNS * 0.8)
        let dying: Promise<void> | undefined
        const { origin, kill } = server
        const dieSoon = async () => {
          await new Promise((resolve) => setTimeout(resolve, random.below(40)))
          await kill()
        }
        const work = async () => {
          for (let id = left.shift(); id !== undefined && !dying; id = left.shift()) {
            begun.set(id, false)
            if (untilKill-- === 0) dying = dieSoon()
            begun.set(id, await isAcknowledged(origin, id))
          }
        }
        await Promise.all(Array.from({ length: PARALLEL_RUNS }, work))
        await dying
        expect(dying).toBeDefined()

        server = await startKillable(persist)
        const texts = await readAll(server.origin)
        expect(whatIsWrong(texts, begun)).toEqual([])
      }
      expect([...begun.values()]).toContain(false)
    } finally {
      await server.kill()
    }
  },
  ROUNDS * ROUND_MS,
)
