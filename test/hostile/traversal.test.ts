/** No function that takes a path leads out of the caller's area: each raises the sentence the gate gives. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { runLua } from '../support/run-lua.ts'

const EMPTY = 'path cannot be empty'
const NUL = 'path cannot contain null bytes'
const ABSOLUTE = 'path must be relative'
const TRAVERSAL = "path cannot contain '..' traversal"
const FOLDER = 'path is not valid: names a folder'
const ENCODING = 'path is not valid: not UTF-8'
const CONTROL = 'path is not valid: contains control characters'
const BACKSLASH = 'path is not valid: contains a backslash'
const LENGTH = 'path is not valid: longer than 512 bytes'

/** Written as in Lua, between double quotes; where several sentences would do, the first in rank. */
const PATHS = [
  ['', EMPTY],
  ['.', FOLDER],
  ['./', FOLDER],
  ['a/', FOLDER],
  ['a/.', FOLDER],
  ['/', ABSOLUTE],
  ['//', ABSOLUTE],
  ['/etc/passwd', ABSOLUTE],
  ['/../x', ABSOLUTE],
  ['..', TRAVERSAL],
  ['../', TRAVERSAL],
  ['../x', TRAVERSAL],
  ['./../x', TRAVERSAL],
  ['a/..', TRAVERSAL],
  ['a/../b', TRAVERSAL],
  ['a/b/../../../c', TRAVERSAL],
  ['../\\\\', TRAVERSAL],
  ['../\\255', TRAVERSAL],
  ['a\\0b', NUL],
  ['\\0', NUL],
  ['a.txt\\0.png', NUL],
  ['../\\0', NUL],
  ['/\\0', NUL],
  ['a\\\\b', BACKSLASH],
  ['..\\\\x', BACKSLASH],
  ['C:\\\\x', BACKSLASH],
  ['a\\nb', CONTROL],
  ['a\\tb', CONTROL],
  ['a\\27b', CONTROL],
  ['a\\127b', CONTROL],
  ['a\\xc2\\x85b', CONTROL],
  ['a\\255b', ENCODING],
  ['a\\xc0\\xafb', ENCODING],
  ['\\xc0\\xae\\xc0\\xae/x', ENCODING],
  ['a\\xed\\xa0\\x80b', ENCODING],
  ['a\\xe6\\x97', ENCODING],
  ['x'.repeat(513), LENGTH],
  [`${'é'.repeat(256)}x`, LENGTH],
] as const

/** A call with PATH for the path, and the same call for `pcall`. */
const CALLS = [
  ...['r', 'w', 'a', 'r+', 'w+', 'a+', 'rb', 'wb', 'ab', 'r+b', 'w+b', 'a+b'].map(
    (mode) => [`io.open("PATH", "${mode}")`, `io.open, "PATH", "${mode}"`] as const,
  ),
  ['io.open("PATH")', 'io.open, "PATH"'],
  ['io.lines("PATH")', 'io.lines, "PATH"'],
  ['io.lines("PATH", "a")', 'io.lines, "PATH", "a"'],
  ['os.remove("PATH")', 'os.remove, "PATH"'],
  ['os.rename("PATH", "b.txt")', 'os.rename, "PATH", "b.txt"'],
  ['os.rename("a.txt", "PATH")', 'os.rename, "a.txt", "PATH"'],
  ['os.rename("PATH", "PATH")', 'os.rename, "PATH", "PATH"'],
  ['file.save("PATH", "x")', 'file.save, "PATH", "x"'],
] as const

/** Where a folder is meant, these name one. */
const FOLDERS = ['', '.', './', 'a/', 'a/.']

describe.each(CALLS)('%s', (call, asArguments) => {
  it('refuses every bad path from Lua code with its line', async () => {
    expect(
      await raisedBy(
        call,
        PATHS.map(([path]) => path),
      ),
    ).toEqual(PATHS.map(([path, message]) => [path, `script:1: ${message}`]))
  })

  it('refuses every bad path through pcall without one', async () => {
    expect(
      await caughtFrom(
        asArguments,
        PATHS.map(([path]) => path),
      ),
    ).toEqual(PATHS)
  })
})

describe('io.list("PATH")', () => {
  const paths = PATHS.filter(([path]) => !FOLDERS.includes(path))

  it('refuses every bad path from Lua code with its line', async () => {
    expect(
      await raisedBy(
        'io.list("PATH")',
        paths.map(([path]) => path),
      ),
    ).toEqual(paths.map(([path, message]) => [path, `script:1: ${message}`]))
  })

  it('refuses every bad path through pcall without one', async () => {
    expect(
      await caughtFrom(
        'io.list, "PATH"',
        paths.map(([path]) => path),
      ),
    ).toEqual(paths)
  })

  it.each(FOLDERS)('takes %j for a folder', async (path) => {
    const { result } = await runLua(`file.save('a/b.txt', '') return io.list("${path}")`)
    expect(result).toEqual(path.startsWith('a') ? ['b.txt'] : ['a'])
  })
})

describe('a path that looks odd but stays inside', () => {
  it.each([
    ['..a', '..a'],
    ['a..', 'a..'],
    ['...', '...'],
    ['a/...', 'a/...'],
    ['.hidden', '.hidden'],
    ['~/x', '~/x'],
    ['$HOME', '$HOME'],
    ['%2e%2e/x', '%2e%2e/x'],
    ['%00', '%00'],
    ['a b', 'a b'],
    [' ', ' '],
    ['C:/x', 'C:/x'],
    ['http://x', 'http:/x'],
    ['./a//b/./c', 'a/b/c'],
    ['．．/x', '．．/x'],
    ['area/x', 'area/x'],
    ['x'.repeat(512), 'x'.repeat(512)],
  ])('%j is the file %j', async (path, name) => {
    const storage = memoryStorage()
    const { files, error } = await runLua(`io.open("${path}", "w"):write("x"):close()`, { storage })
    expect({ files, error }).toEqual({ files: [{ name, op: 'write', bytes: 1 }], error: undefined })
    expect((await storage.head(`area/${name}`))?.bytes).toBe(1)
  })
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

async function raisedBy(call: string, paths: readonly string[]) {
  return Promise.all(
    paths.map(async (path) => {
      const { error, files } = await runLua(call.replaceAll('PATH', () => path))
      return [path, files.length > 0 ? files : error?.message]
    }),
  )
}

async function caughtFrom(call: string, paths: readonly string[]) {
  return Promise.all(
    paths.map(async (path) => {
      const script = `return select(2, pcall(${call.replaceAll('PATH', () => path)}))`
      const { result, files } = await runLua(script)
      return [path, files.length > 0 ? files : result]
    }),
  )
}
