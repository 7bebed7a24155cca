/** Which files a run reports, which names it can open, and what scopes and paths allow. */
import { describe, expect, it } from 'vitest'
import type { FileAccess } from '../../../src/vm/library/library-host.ts'
import { logsOf } from '../../support/logs-of.ts'
import { runLua } from '../../support/run-lua.ts'
import { storageWith, textsIn } from '../../support/seeded-storage.ts'

const STORED = { 'log.txt': 'old\n', 'data.txt': '0123456789', 'd/x.txt': 'x' }

describe('files_touched', () => {
  const PRELUDE = `
    local function put(name, mode, text) io.open(name, mode):write(text or ""):close() end
  `

  /** `null` for a file that is gone. */
  type Changed = Record<string, string | null>

  it.each<[what: string, script: string, rows: string, changed: Changed]>([
    ['nothing', '', '', {}],
    ['reading', 'io.open("log.txt"):read("a")', '', {}],
    ['reading by lines', 'for l in io.lines("log.txt") do end', '', {}],
    ['listing', 'io.list() io.list("d")', '', {}],
    ['failing to open', 'io.open("none") io.open("none", "r+") io.open("d", "a")', '', {}],
    ['failing to remove', 'os.remove("none") pcall(os.remove, "d")', '', {}],
    ['failing to rename', 'os.rename("none", "x")', '', {}],
    ['renaming a file to itself', 'os.rename("log.txt", "./log.txt")', '', {}],
    ['r+ without a write', 'local f = io.open("log.txt", "r+") f:read("a") f:close()', '', {}],
    ['r+ with an empty write', 'put("log.txt", "r+")', '', {}],
    [
      'r+ with a write',
      'put("data.txt", "r+", "AB")',
      'data.txt write 10',
      { 'data.txt': 'AB23456789' },
    ],
    [
      'r+ with a write beyond the end',
      'local f = io.open("data.txt", "r+") f:seek("end", 2) f:write("X") f:close()',
      'data.txt write 13',
      { 'data.txt': '0123456789\0\0X' },
    ],
    ['w on a new file', 'put("new", "w", "abc")', 'new write 3', { new: 'abc' }],
    ['w on an old file', 'put("log.txt", "w", "abc")', 'log.txt write 3', { 'log.txt': 'abc' }],
    ['w without a write', 'put("log.txt", "w")', 'log.txt write 0', { 'log.txt': '' }],
    ['w+', 'put("new", "w+", "ab")', 'new write 2', { new: 'ab' }],
    ['w below a file', 'put("log.txt/x", "w")', 'log.txt/x write 0', { 'log.txt/x': '' }],
    ['a on an old file', 'put("log.txt", "a", "+")', 'log.txt append 5', { 'log.txt': 'old\n+' }],
    ['a without a write', 'put("log.txt", "a")', 'log.txt append 4', {}],
    ['a on a new file', 'put("new", "a", "abc")', 'new write 3', { new: 'abc' }],
    ['a on a new file without a write', 'put("new", "a")', 'new write 0', { new: '' }],
    [
      'a+ with reading',
      'local f = io.open("log.txt", "a+") f:read("a") f:write("+") f:close()',
      'log.txt append 5',
      { 'log.txt': 'old\n+' },
    ],
    [
      'a twice',
      'put("log.txt", "a", "1") put("log.txt", "a", "2")',
      'log.txt append 6',
      { 'log.txt': 'old\n12' },
    ],
    [
      'a, then r+ without a write',
      'put("log.txt", "a", "1") put("log.txt", "r+")',
      'log.txt append 5',
      { 'log.txt': 'old\n1' },
    ],
    [
      'a, then r+ with a write',
      'put("log.txt", "a", "1") put("log.txt", "r+", "O")',
      'log.txt write 5',
      { 'log.txt': 'Old\n1' },
    ],
    [
      'a, then w',
      'put("log.txt", "a", "1") put("log.txt", "w", "2")',
      'log.txt write 1',
      { 'log.txt': '2' },
    ],
    [
      'w, then a',
      'put("log.txt", "w", "1") put("log.txt", "a", "2")',
      'log.txt write 2',
      { 'log.txt': '12' },
    ],
    ['removing', 'os.remove("log.txt")', 'log.txt remove 0', { 'log.txt': null }],
    ['creating and removing', 'put("new", "w", "abc") os.remove("new")', 'new remove 0', {}],
    [
      'appending and removing',
      'put("log.txt", "a", "abc") os.remove("log.txt")',
      'log.txt remove 0',
      { 'log.txt': null },
    ],
    [
      'removing and creating',
      'os.remove("log.txt") put("log.txt", "w", "new")',
      'log.txt write 3',
      { 'log.txt': 'new' },
    ],
    [
      'removing and appending',
      'os.remove("log.txt") put("log.txt", "a", "new")',
      'log.txt write 3',
      { 'log.txt': 'new' },
    ],
    [
      'writing by a handle whose file is removed',
      'local f = io.open("log.txt", "a") os.remove("log.txt") f:write("lost") f:close()',
      'log.txt remove 0',
      { 'log.txt': null },
    ],
    [
      'renaming',
      'os.rename("log.txt", "old/log.txt")',
      'log.txt remove 0, old/log.txt write 4',
      { 'log.txt': null, 'old/log.txt': 'old\n' },
    ],
    [
      'renaming over another',
      'os.rename("log.txt", "data.txt")',
      'data.txt write 4, log.txt remove 0',
      { 'log.txt': null, 'data.txt': 'old\n' },
    ],
    [
      'renaming there and back',
      'os.rename("log.txt", "tmp") os.rename("tmp", "log.txt")',
      'log.txt write 4, tmp remove 0',
      {},
    ],
    [
      'writing beside and renaming',
      'put("new", "w", "better") os.rename("new", "log.txt")',
      'log.txt write 6, new remove 0',
      { 'log.txt': 'better' },
    ],
    ['file.save', 'file.save("new", "abc")', 'new write 3', { new: 'abc' }],
    [
      'a file left open',
      'leaked = io.open("new", "w") leaked:write("abc")',
      'new write 3',
      { new: 'abc' },
    ],
    [
      'one name written in several ways',
      'put("./new", "w", "1") put(".//new", "a", "2") file.save("x/./y//z", "3")',
      'new write 2, x/y/z write 1',
      { new: '12', 'x/y/z': '3' },
    ],
    [
      'names in the order of their bytes',
      'for _, n in ipairs { "é", "b", "a/x", "a0", "B", "😀", "\\u{FF5E}" } do put(n, "w") end',
      'B write 0, a/x write 0, a0 write 0, b write 0, é write 0, \uff5e write 0, 😀 write 0',
      { B: '', 'a/x': '', a0: '', b: '', é: '', '\uff5e': '', '😀': '' },
    ],
    ['bytes, not characters', 'file.save("new", "é😀\\0")', 'new write 7', { new: 'é😀\0' }],
  ])('reports %s', async (_, script, rows, changed) => {
    const storage = await storageWith(STORED)
    const { files, error } = await runLua(PRELUDE + script, { storage })
    const expected = rows
      .split(', ')
      .filter(Boolean)
      .map((row) => {
        const [name, op, bytes] = row.split(' ')
        return { name, op, bytes: Number(bytes) }
      })
    expect({ files, error }).toEqual({ files: expected, error: undefined })
    const texts = Object.entries({ ...STORED, ...changed }).filter(([, text]) => text !== null)
    expect(await textsIn(storage)).toEqual(Object.fromEntries(texts))
  })
})

describe('a name', () => {
  const MODES = ['r', 'r+', 'w', 'w+', 'a', 'a+']

  it.each([
    ['of a stored folder', '', ['d', 'empty'], 'Is a directory\t21', ['r', 'r+', 'a', 'a+']],
    ['of a folder that the run made', 'made/e/x', ['made', 'made/e'], 'Is a directory\t21', MODES],
    ['below a file of the run', 'f', ['f/x', 'f/g/x'], 'Not a directory\t20', MODES],
  ])('%s cannot be opened', async (_, made, names, problem, modes) => {
    const storage = await storageWith({ ...STORED, 'empty/': '' })
    const script = `
      if args.made ~= "" then io.open(args.made, "w"):close() end
      for _, name in ipairs(args.names) do
        for _, mode in ipairs(args.modes) do print(io.open(name, mode)) end
      end
    `
    const { logs, files } = await runLua(script, { storage, args: { made, names, modes } })
    expect(logs).toEqual(names.flatMap((name) => modes.map(() => `nil\t${name}: ${problem}`)))
    expect(files.map(({ name }) => name)).toEqual(made === '' ? [] : [made])
  })

  it('of an empty folder can be used for a file, and the reverse', async () => {
    const storage = await storageWith(STORED)
    const script = `
      os.remove("d/x.txt") io.open("d", "a"):write("file"):close()
      os.remove("log.txt") io.open("log.txt/y", "w"):write("below"):close()
    `
    expect(await logsOf(script, { storage })).toEqual([])
    expect(await textsIn(storage)).toEqual({
      d: 'file',
      'data.txt': '0123456789',
      'log.txt/y': 'below',
    })
  })
})

describe('a caller', () => {
  const run = async (script: string, access: FileAccess) => {
    const storage = await storageWith(STORED)
    const outcome = await runLua(script, { storage, access })
    return { ...outcome, stored: await textsIn(storage) }
  }
  /** Returns the names of the calls that do not raise. */
  const ATTEMPTS = `
    local done = {}
    local function try(name, ...) if pcall(...) then done[#done + 1] = name end end
    for _, mode in ipairs { "r", "r+", "w", "w+", "a", "a+" } do try(mode, io.open, "log.txt", mode) end
    try("lines", io.lines, "log.txt")
    try("list", io.list)
    try("remove", os.remove, "data.txt")
    try("rename", os.rename, "d/x.txt", "d/y.txt")
    try("save", file.save, "new.txt", "x")
    return table.concat(done, " ")
  `

  it('with neither scope has no file functions, but can print and compute', async () => {
    const access = { canRead: false, canWrite: false }
    const script = `
      print(io, file, os.remove, os.rename)
      print(type(os.time), type(os.tmpname), type(json.encode), type(args))
      return 1 + 1
    `
    const { logs, result, error } = await run(script, access)
    expect({ logs, result, error }).toEqual({
      logs: ['nil\tnil\tnil\tnil', 'function\tfunction\tfunction\tnil'],
      result: 2,
      error: undefined,
    })
  })

  it('who may only read cannot change anything', async () => {
    const { result, files, stored } = await run(ATTEMPTS, { canRead: true, canWrite: false })
    expect({ result, files, stored }).toEqual({ result: 'r lines list', files: [], stored: STORED })
  })

  it('who may only write cannot read anything', async () => {
    const { result, files, stored } = await run(ATTEMPTS, { canRead: false, canWrite: true })
    expect(result).toBe('w a remove rename save')
    expect(files).toEqual([
      { name: 'd/x.txt', op: 'remove', bytes: 0 },
      { name: 'd/y.txt', op: 'write', bytes: 1 },
      { name: 'data.txt', op: 'remove', bytes: 0 },
      { name: 'log.txt', op: 'write', bytes: 0 },
      { name: 'new.txt', op: 'write', bytes: 1 },
    ])
    expect(stored).toEqual({ 'd/y.txt': 'x', 'log.txt': '', 'new.txt': 'x' })
  })

  it.each([
    ['read', { canRead: true, canWrite: false }, 'io.open("x", "w")', 'files:write'],
    ['write', { canRead: false, canWrite: true }, 'io.open("x")', 'files:read'],
  ])('with only %s access the error names the missing scope', async (_, access, script, scope) => {
    const { error } = await run(`\n${script}`, access)
    expect(error).toMatchObject({ kind: 'runtime', line: 2 })
    expect(error?.message).toContain(scope)
  })

  const LIMITED = { canRead: true, canWrite: true, paths: { allowed: [['d']] } }

  it.each([
    ['d/y', true],
    ['./d//y', true],
    ['data.txt', false],
  ])('whose paths are "d" may use %j: %s', async (path, isAllowed) => {
    const script = `
      local path = args
      print(pcall(file.save, path, "x"))
      print(pcall(io.lines, path))
      print(pcall(os.rename, path, path))
      print(pcall(io.open, path, "a"))
      print(pcall(os.remove, path))
    `
    const { logs, files } = await runLua(script, { args: path, access: LIMITED })
    expect(logs.map((line) => line.startsWith('true'))).toEqual(Array(5).fill(isAllowed))
    expect(files.map(({ name, op }) => [name, op])).toEqual(isAllowed ? [['d/y', 'remove']] : [])
    if (!isAllowed) expect(new Set(logs)).toEqual(new Set(['false\tpath is not allowed']))
  })

  it('whose paths are limited cannot list folders above them', async () => {
    const script = 'print(pcall(io.list)) print(pcall(io.list, ".")) print(io.list("d")[1])'
    const { logs } = await run(script, LIMITED)
    expect(logs).toEqual(['false\tpath is not allowed', 'false\tpath is not allowed', 'x.txt'])
  })

  it.each([256, 512, 1024, 2048, 4096, 8192, 65536])(
    'whose paths are limited cannot hide another path behind %i bytes',
    async (bytes) => {
      const script = `
        local path = ("./"):rep(args // 2 - 1) .. "/d" .. "ata.txt"
        for _, mode in ipairs { "r", "w", "a" } do print((pcall(io.open, path, mode))) end
        print((pcall(os.remove, path)))
        print((pcall(file.save, path, "x")))
      `
      const storage = await storageWith(STORED)
      const { logs, files } = await runLua(script, { args: bytes, storage, access: LIMITED })
      expect({ logs, files }).toEqual({
        logs: ['false', 'false', 'false', 'false', 'false'],
        files: [],
      })
      expect(await textsIn(storage)).toEqual(STORED)
    },
  )
})
