/** No function that takes a path leads out of the caller's area: each raises the sentence the gate gives. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import {
  BAD_BYTES,
  BAD_PATHS,
  FOLDERS,
  LENGTH,
  NOTHING,
  NUL,
  ODD_PATHS,
  TRAVERSAL,
} from '../support/bad-paths.ts'
import { luaString } from '../support/lua-string.ts'
import { runLua } from '../support/run-lua.ts'

const NO_FOLDERS = [...BAD_PATHS, ...BAD_BYTES]
const NO_FILES = [...NO_FOLDERS, ...FOLDERS, NOTHING]

/** Every function with `path` for the path. */
const CALLS = [
  ...['r', 'w', 'a', 'r+', 'w+', 'a+', 'rb', 'wb', 'ab', 'r+b', 'w+b', 'a+b'].map(
    (mode) => ['io.open', `path, "${mode}"`, NO_FILES] as const,
  ),
  ['io.open', 'path', NO_FILES],
  ['io.lines', 'path', NO_FILES],
  ['io.lines', 'path, "a"', NO_FILES],
  ['io.list', 'path', NO_FOLDERS],
  ['os.remove', 'path', NO_FILES],
  ['os.rename', 'path, "b.txt"', NO_FILES],
  ['os.rename', '"a.txt", path', NO_FILES],
  ['os.rename', 'path, path', NO_FILES],
  ['file.save', 'path, "x"', NO_FILES],
] as const

describe.each(CALLS)('%s(%s)', (name, given, bad) => {
  const sentences = bad.map(([, message]) => message)

  /** What `call` raises for each of them; nothing may be touched by any. */
  async function raisedBy(call: string): Promise<unknown> {
    const paths = bad.map(([path]) => luaString(path)).join()
    const { result, error, files } = await runLua(
      `local paths, told = { ${paths} }, {}
       for i, path in ipairs(paths) do told[i] = select(2, ${call}) end
       return told`,
    )
    expect({ error, files }).toEqual({ error: undefined, files: [] })
    return result
  }

  it('refuses every bad path from Lua code with its line', async () => {
    const raised = await raisedBy(`pcall(function() local x = ${name}(${given}) end)`)
    expect(raised).toEqual(sentences.map((message) => `script:2: ${message}`))
  })

  it('refuses every bad path through pcall without one', async () => {
    expect(await raisedBy(`pcall(${name}, ${given})`)).toEqual(sentences)
  })
})

describe('io.list', () => {
  it.each([...FOLDERS, NOTHING])('takes %j for a folder', async (path) => {
    const { result } = await runLua(`file.save('a/b.txt', '') return io.list("${path}")`)
    expect(result).toEqual(path.startsWith('a') ? ['b.txt'] : ['a'])
  })
})

it('a path that looks odd but stays inside is a file', async () => {
  const storage = memoryStorage()
  const script = 'for _, path in ipairs(args) do io.open(path, "w"):write("x"):close() end'
  const args = ODD_PATHS.map(([written]) => written)
  const { files, error } = await runLua(script, { args, storage })
  expect(error).toBeUndefined()
  const paths = ODD_PATHS.map(([, path]) => path)
  expect(new Set(files.map(({ name }) => name))).toEqual(new Set(paths))
  for (const path of paths) expect((await storage.head(`area/${path}`))?.bytes).toBe(1)
})

it.each(['allowed/../secret', 'allowed', 'allowed2/x', 'Allowed/x', 'other', 'share/x'])(
  'a token for one folder does not open %j',
  async (path) => {
    const access = { canRead: true, canWrite: true, paths: { allowed: [['allowed/in']] } }
    const { error } = await runLua(`io.open("${path}", "w")`, { access })
    const message = path.includes('..') ? TRAVERSAL : 'path is not allowed'
    expect(error).toMatchObject({ kind: 'runtime', message: `script:1: ${message}` })
  },
)

describe('a path with thousands of slashes in it is judged whole', () => {
  const long = (end: string) => `"a" .. ("/"):rep(4094) .. "${end}"`
  const access = { canRead: true, canWrite: true, paths: { allowed: [['a/b']] } }

  it.each([
    ['io.open', 'PATH, "w"'],
    ['io.lines', 'PATH'],
    ['io.list', 'PATH'],
    ['os.remove', 'PATH'],
    ['os.rename', 'PATH, "a/b/y"'],
    ['os.rename', '"a/b/y", PATH'],
    ['file.save', 'PATH, "x"'],
  ])('by %s(%s)', async (name, given) => {
    const outcomes = await Promise.all(
      ['b/../../x', 'bc/x', 'b/\\0', `b/${'x'.repeat(600)}`].map(async (end) => {
        const call = `${name}, ${given.replace('PATH', () => long(end))}`
        const { result, files } = await runLua(`return { pcall(${call}) }`, { access })
        return { result, files }
      }),
    )
    expect(outcomes).toEqual(
      [TRAVERSAL, 'path is not allowed', NUL, LENGTH].map((message) => ({
        result: [false, message],
        files: [],
      })),
    )
  })
})
