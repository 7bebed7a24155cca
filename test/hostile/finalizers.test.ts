/** Finalizers run at moments a script can choose: they must not get between the steps of a host function. */
import { describe, expect, it } from 'vitest'
import { runLua } from '../support/run-lua.ts'
import { storageWith, textsIn } from '../support/seeded-storage.ts'

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

it('a finalizer never runs while the host works, whatever the collector was told', async () => {
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
