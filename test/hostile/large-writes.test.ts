/** Files larger than memory are stored whole or not at all, however the script ends. */
import { describe, expect, it } from 'vitest'
import { loadLua as loadDamagedLua } from '../support/damaged-lua.ts'
import { makeApp, runtimeStorage, type MakeAppOptions, type Row } from '../support/make-app.ts'
import { watchedStorage, type StorageRequest } from '../support/watched-storage.ts'

const MIB = 1024 * 1024
/** Goes up in three parts while it is written. */
const LARGE = 20

/** Opens `big`, and writes so many MiB of numbered blocks of 64 KiB. */
const fill = (mib: number, name = 'big') => `
  local f = assert(io.open('${name}', 'w'))
  local rest = ('x'):rep(65536 - 8)
  for i = 1, ${16 * mib} do assert(f:write(('%07d'):format(i), rest, '\\n')) end
`

/** A service whose store shows which uploads were neither completed nor aborted. */
async function makeLargeApp(options: MakeAppOptions = {}, fail?: StorageRequest) {
  const open: string[] = []
  const storage = watchedStorage(
    await runtimeStorage(),
    (request) => {
      if (request === fail) throw new Error('the store is down')
    },
    (request, key) => {
      const name = key.replace(/.*\//, '')
      if (request === 'createUpload') open.push(name)
      if (request === 'complete' || request === 'abort') open.splice(open.indexOf(name), 1)
    },
  )
  const app = await makeApp({ storage, ...options })
  async function bytesOf(name: string): Promise<number | null> {
    const found = await storage.head(`${app.tenant}/users/alice/${name}`)
    return found && found.bytes
  }
  /** Whether it has this size, and each block is where it was written. */
  async function isWhole(name: string, bytes: number): Promise<boolean> {
    const object = await storage.get(`${app.tenant}/users/alice/${name}`)
    if (object?.bytes !== bytes) return false
    for (let i = 1; i <= bytes / 65_536; i++) {
      const at = (i - 1) * 65_536
      const block = object.body.subarray(at, at + 65_536)
      const number = new TextDecoder().decode(block.subarray(0, 7))
      if (Number(number) !== i || block[7] !== 120 || block[65_535] !== 10) return false
    }
    return true
  }
  return { ...app, open, bytesOf, isWhole }
}

const row = (mib: number, more = {}) => ({ name: 'big', op: 'write', bytes: mib * MIB, ...more })

it('files that are large only together are stored whole', async () => {
  const limits = { writeBytes: 100 * MIB, residentBytes: 32 * MIB }
  const { run, isWhole, open } = await makeLargeApp({ limits })
  const { error } = await run(`
    local files = {}
    for n = 1, 3 do files[n] = assert(io.open('f' .. n, 'w')) end
    local rest = ('x'):rep(65536 - 8)
    for i = 1, 16 * 14 do
      for _, f in ipairs(files) do assert(f:write(('%07d'):format(i), rest, '\\n')) end
    end
  `)
  expect(error).toBeUndefined()
  for (const name of ['f1', 'f2', 'f3']) expect(await isWhole(name, 14 * MIB)).toBe(true)
  expect(open).toEqual([])
})

describe('a file far larger than the resident bytes', () => {
  it('is stored whole, and counts as ever', async () => {
    const limits = { writeBytes: 100 * MIB, residentBytes: 25 * MIB }
    const { run, isWhole, open } = await makeLargeApp({ limits })
    const answer = await run(`${fill(60)} f:close() return f and io.open('big'):seek('end')`)
    expect(answer.error).toBeUndefined()
    expect(answer.files_touched).toMatchObject([row(60)])
    expect(answer.result).toBe(60 * MIB)
    expect([await isWhole('big', 60 * MIB), open]).toEqual([true, []])
  })
})

describe('a large file is stored whole', () => {
  it.each([
    ['when it is closed', 'f:close()', undefined],
    ['when it is left open', '', undefined],
    ['after an error', "error('x')", 'runtime'],
    ['after a kill', 'while true do end', 'fuel'],
    ['after the deadline', 'while true do os.clock() end', 'timeout'],
    ['at the write limit', "f:write(('x'):rep(11 * 1024 * 1024))", 'limit'],
  ])('%s', async (_, script, kind) => {
    const { run, isWhole, open } = await makeLargeApp({ limits: { writeBytes: 30 * MIB } })
    const limits = { fuel: { fuel: 50_000_000 }, timeout: { timeout_ms: 2_000 } }[kind ?? ''] ?? {}
    const answer = await run(fill(LARGE) + script, { limits })
    expect(answer.error?.kind).toBe(kind)
    const [{ bytes, ...written }] = answer.files_touched as [Row]
    expect(written).toMatchObject({ name: 'big', op: 'write' })
    expect(written).not.toHaveProperty('stored')
    // A busy machine may not have got so far by the deadline.
    if (kind !== 'timeout') expect(bytes).toBe(LARGE * MIB)
    expect([await isWhole('big', bytes), open]).toEqual([true, []])
  })

  it('if the run succeeds, and only then, with commit: on_success', async () => {
    const { run, isWhole, bytesOf, open } = await makeLargeApp()
    const read = `f:close() local _, message, number = io.open('big')`
    const commit = { commit: 'on_success' }
    const failed = await run(`${fill(LARGE)} ${read} error(message .. number)`, commit)
    expect(failed.error?.message).toContain('big: File too large27')
    expect(failed.files_touched).toMatchObject([row(LARGE, { stored: false })])
    expect([await bytesOf('big'), open]).toEqual([null, []])
    const answer = await run(`${fill(LARGE)} ${read} return number`, commit)
    expect(answer).toMatchObject({ result: 27, files_touched: [row(LARGE)] })
    expect([await isWhole('big', LARGE * MIB), open]).toEqual([true, []])
  })
})

describe('nothing of a large file is stored', () => {
  it('that a script removes, open or closed', async () => {
    const { run, bytesOf, open } = await makeLargeApp()
    const answer = await run(`
      ${fill(LARGE)} os.remove('big') f:write('more') f:close()
      do ${fill(LARGE, 'other')} f:close() os.remove('other') end`)
    expect(answer.error).toBeUndefined()
    expect(answer.files_touched.map(({ name, op }) => [name, op])).toEqual([
      ['big', 'remove'],
      ['other', 'remove'],
    ])
    expect([await bytesOf('big'), await bytesOf('other'), open]).toEqual([null, null, []])
  })

  it('if its VM breaks; one that was closed before is', async () => {
    const { run, bytesOf, open } = await makeLargeApp({ lua: await loadDamagedLua() })
    const answer = await run(`
      do ${fill(LARGE, 'closed')} f:close() end
      ${fill(LARGE)} os.difftime(1, 0)`)
    expect(answer.error?.message).toContain('the script broke the VM')
    expect(answer.files_touched).toMatchObject([
      { name: 'big', op: 'write', stored: false },
      row(LARGE, { name: 'closed' }),
    ])
    expect([await bytesOf('big'), await bytesOf('closed'), open]).toEqual([null, LARGE * MIB, []])
  })

  it.each<StorageRequest>(['createUpload', 'putPart', 'complete'])(
    'if the store fails at %s, and the answer says so',
    async (request) => {
      const { run, bytesOf, open } = await makeLargeApp({}, request)
      const careless = fill(LARGE).replace('do assert(f:write', 'do select(1, f:write')
      const answer = await run(`${careless} f:close()`)
      expect(answer.error).toEqual({
        kind: 'storage',
        message: 'not everything was stored; not accepted by the store: big',
      })
      expect(answer.files_touched).toMatchObject([{ name: 'big', op: 'write', stored: false }])
      expect([await bytesOf('big'), open]).toEqual([null, []])
    },
  )
})

it('a large file that is being written refuses all else with number 27', async () => {
  const { run, isWhole } = await makeLargeApp()
  const answer = await run(`
    ${fill(LARGE)}
    local function told(...) return table.concat({ select(2, ...) }, ' ') end
    local answers = {
      told(io.open('big')), told(io.open('big', 'w')), told(io.open('big', 'a')),
      told(os.rename('big', 'other')), told(f:seek('set', 0)), f:seek('cur'), f:seek('end'),
      select(2, pcall(file.save, 'big', 'x')),
    }
    return answers`)
  const size = LARGE * MIB
  const refused = 'big: File too large 27'
  expect(answer.result).toEqual([
    refused,
    refused,
    refused,
    'File too large 27',
    'File too large 27',
    size,
    size,
    expect.stringContaining('big: File too large'),
  ])
  expect(await isWhole('big', LARGE * MIB)).toBe(true)
})

it('a large file may be renamed and read once it is closed', async () => {
  const { run, isWhole, bytesOf, open } = await makeLargeApp()
  const answer = await run(`
    ${fill(LARGE)} f:close()
    assert(os.rename('big', 'other'))
    local count = 0
    for line in io.lines('other') do count = count + 1 end
    return count`)
  expect(answer).toMatchObject({ result: 16 * LARGE })
  expect([await isWhole('other', LARGE * MIB), await bytesOf('big'), open]).toEqual([
    true,
    null,
    [],
  ])
})

it('two large files and two runs at once are all whole', async () => {
  const { run, isWhole, open } = await makeLargeApp()
  const script = (name: string) => `
    local rest = ('x'):rep(65536 - 8)
    local a, b = io.open('${name}', 'w'), io.open('${name}2', 'w')
    for i = 1, ${16 * LARGE} do
      for _, f in ipairs({ a, b }) do assert(f:write(('%07d'):format(i), rest, '\\n')) end
    end`
  const answers = await Promise.all(['x', 'y'].map((name) => run(script(name))))
  expect(answers.map(({ error }) => error)).toEqual([undefined, undefined])
  for (const name of ['x', 'x2', 'y', 'y2']) expect(await isWhole(name, LARGE * MIB)).toBe(true)
  expect(open).toEqual([])
})
