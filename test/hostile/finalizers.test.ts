/** Finalizers run at moments a script can choose: they must not get between the steps of a host function. */
import { describe, expect, it } from 'vitest'
import { runLua } from '../support/run-lua.ts'
import { storageWith, textsIn } from '../support/seeded-storage.ts'
import { isAll } from '../support/tier.ts'

/** Garbage whose finalizers call `during`, and debt that makes the collector run them at the next chance. */
const withFinalizers = (during: string, attempt: string) => `
  local mt = { __gc = function() ${during} end }
  for i = 1, 40 do
    for j = 1, 20 do setmetatable({}, mt) end
    local t = {} for j = 1, 300 do t[j] = j end
    ${attempt}
  end`

describe('a finalizer cannot take away the refusal', () => {
  it.each([
    ['os.remove', "os.remove, 'secret/a.txt'"],
    ['os.rename from', "os.rename, 'secret/a.txt', 'mine/c.txt'"],
    ['os.rename to', "os.rename, 'mine/b.txt', 'secret/c.txt'"],
    ['file.save', "file.save, 'secret/a.txt', 'mine now'"],
    ['io.list', "io.list, 'secret'"],
  ])('of %s outside of the allowed paths', async (_, call) => {
    const texts = { 'secret/a.txt': 'precious', 'mine/b.txt': 'x' }
    const storage = await storageWith(texts)
    const access = { canRead: true, canWrite: true, paths: { allowed: [['mine']] } }
    const script = withFinalizers('pcall(json.encode, 1)', `print(pcall(${call}))`)
    const { logs } = await runLua(script, { storage, access })
    expect(new Set(logs)).toEqual(new Set(['false\tpath is not allowed']))
    expect(await textsIn(storage)).toEqual(texts)
  })

  it('of os.remove without the scope', async () => {
    const storage = await storageWith({ 'a.txt': 'precious' })
    const access = { canRead: true, canWrite: false }
    const script = withFinalizers('pcall(json.encode, 1)', "pcall(os.remove, 'a.txt')")
    await runLua(script, { storage, access })
    expect(await textsIn(storage)).toEqual({ 'a.txt': 'precious' })
  })
})

it('a finalizer cannot replace what another call found out', async () => {
  const storage = await storageWith({ 'a/one': '', 'b/two': '' })
  const script = `local wrong = 0
    ${withFinalizers("io.list('b')", "if io.list('a')[1] ~= 'one' then wrong = wrong + 1 end")}
    return wrong`
  expect(await runLua(script, { storage })).toMatchObject({ result: 0 })
})

it('a finalizer never runs while the host works, whatever the collector’s settings', async () => {
  const script = `
    local mt = { __gc = function() io.open('missing') io.list() end }
    for k = 1, 50 do
      for i = 1, 50 do setmetatable({}, mt) end
      collectgarbage('step', -1700000)
      for i = 1, 20 do json.decode('[[1],["' .. i .. k .. '"]]') end
    end
    return 'done'`
  expect(await runLua(script)).toMatchObject({ result: 'done' })
})

/**
 * Runs `read` until a finalizer has closed the file and put `value` where it was; the last answer of `read` is the
 * result.
 */
const readUntilClosed = (read: string, value = '-1') => `
  local w = io.open('f', 'w') w:write(('x'):rep(100000)) w:close()
  -- As large as the FILE behind a handle, and full of one value: it takes the place of one that was freed.
  local fill = load('local v = ... return {' .. ('v,'):rep(1033) .. '}') fill(1)
  local before, f, after = io.open('f'), io.open('f'), io.open('f')
  local isClosed, answer
  keep = {}
  setmetatable({}, { __gc = function()
    isClosed = f:close()
    for i = 1, 4 do keep[i] = fill(${value}) end
  end })
  for attempt = 1, 1000 do
    f:seek('set')
    answer = table.pack(pcall(function() ${read} end))
    if isClosed then break end
  end
  assert(isClosed, 'the finalizer did not run')
  return answer`

describe('a finalizer that closes a file while it is read', () => {
  const formats = Array.from({ length: 9 }, () => '100').join(', ')
  const x = (count: number) => 'x'.repeat(count)
  /** What `table.pack` makes of a protected call that gave these. */
  const answerOf = (values: readonly string[]) =>
    Object.fromEntries([
      ...[true, ...values].map((value, i) => [i + 1, value]),
      ['n', values.length + 1],
    ])

  it('cannot make it read what is not in the file', async () => {
    const script = readUntilClosed(`return f:read(${formats})`, '1024 << 32')
    const { result, error } = await runLua(script)
    const texts = Array<string>(9).fill(x(100))
    expect({ result, error }).toEqual({ result: answerOf(texts), error: undefined })
  })

  it.each([
    ['all of it', "'a'", [100_000]],
    ['a long line', "'l'", [100_000]],
    ['blocks and the rest', "1000, 10000, 'a'", [1000, 10_000, 89_000]],
    ['a block and a line', "10000, 'l'", [10_000, 90_000]],
  ])('does not keep it from giving %s', async (_, read, lengths) => {
    const { result, error } = await runLua(readUntilClosed(`return f:read(${read})`))
    expect({ result, error }).toEqual({ result: answerOf(lengths.map(x)), error: undefined })
  })

  it('does not make an iterator close it again', async () => {
    const script = `
      io.open('f', 'w'):close()
      local closed = 0
      for i = 1, 2000 do
        local next, _, _, f = io.lines('f', 20000)
        setmetatable({}, { __gc = function()
          if io.type(f) == 'file' then f:close() closed = closed + 1 end
        end })
        pcall(next)
        pcall(f.close, f)
      end
      return closed`
    const { result, error } = await runLua(script)
    expect(error).toBeUndefined()
    expect(result).toBeTypeOf('number')
  })

  it.runIf(isAll)(
    'waits for the end of the reading also where memory runs out meanwhile',
    async () => {
      const results = new Set<string>()
      // Where it runs out depends on the size of the snapshot.
      for (let ballast = 300; ballast < 1400; ballast += 20) {
        const script = `
        ballast = {} for i = 1, ${ballast} do ballast[i] = ('b'):rep(1000) .. i end
        ${readUntilClosed("return f:read(1000, 10000, 'a')")}`
        for (const memoryBytes of [2 * 2 ** 20, 2.5 * 2 ** 20]) {
          const { result, error } = await runLua(script, { limits: { memoryBytes } })
          if (!error) results.add(JSON.stringify(result))
        }
      }
      const whole = answerOf([1000, 10_000, 89_000].map(x))
      const refused = { 1: false, 2: 'not enough memory', n: 2 }
      expect(results).toEqual(new Set([whole, refused].map((answer) => JSON.stringify(answer))))
    },
  )
})
