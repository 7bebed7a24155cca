/** What a run reports of its files, how open files behave, and what a caller's scopes and paths allow. */
import { describe, expect, it } from 'vitest'
import type { FileAccess } from '../../src/vm/library/library-host.ts'
import { logsOf } from '../support/logs-of.ts'
import { runLua } from '../support/run-lua.ts'
import { storageWith, textsIn } from '../support/seeded-storage.ts'

const STORED = { 'log.txt': 'old\n', 'data.txt': '0123456789', 'd/x.txt': 'x' }

type Row = [name: string, op: 'append' | 'write' | 'remove', bytes: number]

describe('files_touched', () => {
  const CASES: [
    what: string,
    script: string,
    rows: Row[],
    changed: Record<string, string | null>,
  ][] = [
    ['nothing', '', [], {}],
    ['reading', 'io.open("log.txt"):read("a")', [], {}],
    ['reading by lines', 'for l in io.lines("log.txt") do end', [], {}],
    ['listing', 'io.list() io.list("d")', [], {}],
    ['failing to open', 'io.open("none") io.open("none", "r+") io.open("d", "a")', [], {}],
    ['failing to remove', 'os.remove("none") pcall(os.remove, "d")', [], {}],
    ['failing to rename', 'os.rename("none", "x")', [], {}],
    ['r+ without a write', 'local f = io.open("log.txt", "r+") f:read("a") f:close()', [], {}],
    ['r+ with an empty write', 'io.open("log.txt", "r+"):write(""):close()', [], {}],
    [
      'r+ with a write',
      'io.open("data.txt", "r+"):write("AB"):close()',
      [['data.txt', 'write', 10]],
      { 'data.txt': 'AB23456789' },
    ],
    [
      'r+ with a write beyond the end',
      'local f = io.open("data.txt", "r+") f:seek("end", 2) f:write("X") f:close()',
      [['data.txt', 'write', 13]],
      { 'data.txt': '0123456789\0\0X' },
    ],
    [
      'w on a new file',
      'io.open("new.txt", "w"):write("abc"):close()',
      [['new.txt', 'write', 3]],
      { 'new.txt': 'abc' },
    ],
    [
      'w on an old file',
      'io.open("log.txt", "w"):write("abc"):close()',
      [['log.txt', 'write', 3]],
      { 'log.txt': 'abc' },
    ],
    [
      'w without a write',
      'io.open("log.txt", "w"):close()',
      [['log.txt', 'write', 0]],
      { 'log.txt': '' },
    ],
    [
      'w+',
      'local f = io.open("new.txt", "w+") f:write("ab") f:close()',
      [['new.txt', 'write', 2]],
      { 'new.txt': 'ab' },
    ],
    [
      'a on an old file',
      'io.open("log.txt", "a"):write("new"):close()',
      [['log.txt', 'append', 7]],
      { 'log.txt': 'old\nnew' },
    ],
    ['a without a write', 'io.open("log.txt", "a"):close()', [['log.txt', 'append', 4]], {}],
    [
      'a on a new file',
      'io.open("new.txt", "a"):write("abc"):close()',
      [['new.txt', 'write', 3]],
      { 'new.txt': 'abc' },
    ],
    [
      'a+ with reading',
      'local f = io.open("log.txt", "a+") f:read("a") f:write("+") f:close()',
      [['log.txt', 'append', 5]],
      { 'log.txt': 'old\n+' },
    ],
    [
      'a twice',
      'io.open("log.txt", "a"):write("1"):close() io.open("log.txt", "a"):write("2"):close()',
      [['log.txt', 'append', 6]],
      { 'log.txt': 'old\n12' },
    ],
    [
      'a, then r+ with a write',
      'io.open("log.txt", "a"):write("1"):close() io.open("log.txt", "r+"):write("O"):close()',
      [['log.txt', 'write', 5]],
      { 'log.txt': 'Old\n1' },
    ],
    [
      'a, then w',
      'io.open("log.txt", "a"):write("1"):close() io.open("log.txt", "w"):write("2"):close()',
      [['log.txt', 'write', 1]],
      { 'log.txt': '2' },
    ],
    [
      'w, then a',
      'io.open("log.txt", "w"):write("1"):close() io.open("log.txt", "a"):write("2"):close()',
      [['log.txt', 'write', 2]],
      { 'log.txt': '12' },
    ],
    ['removing', 'os.remove("log.txt")', [['log.txt', 'remove', 0]], { 'log.txt': null }],
    [
      'creating and removing',
      'io.open("new.txt", "w"):write("abc"):close() os.remove("new.txt")',
      [['new.txt', 'remove', 0]],
      {},
    ],
    [
      'appending and removing',
      'io.open("log.txt", "a"):write("abc"):close() os.remove("log.txt")',
      [['log.txt', 'remove', 0]],
      { 'log.txt': null },
    ],
    [
      'removing and creating',
      'os.remove("log.txt") io.open("log.txt", "w"):write("new"):close()',
      [['log.txt', 'write', 3]],
      { 'log.txt': 'new' },
    ],
    [
      'removing and appending',
      'os.remove("log.txt") io.open("log.txt", "a"):write("new"):close()',
      [['log.txt', 'write', 3]],
      { 'log.txt': 'new' },
    ],
    [
      'renaming',
      'os.rename("log.txt", "old/log.txt")',
      [
        ['log.txt', 'remove', 0],
        ['old/log.txt', 'write', 4],
      ],
      { 'log.txt': null, 'old/log.txt': 'old\n' },
    ],
    [
      'renaming over another',
      'os.rename("log.txt", "data.txt")',
      [
        ['data.txt', 'write', 4],
        ['log.txt', 'remove', 0],
      ],
      { 'log.txt': null, 'data.txt': 'old\n' },
    ],
    [
      'renaming there and back',
      'os.rename("log.txt", "tmp") os.rename("tmp", "log.txt")',
      [
        ['log.txt', 'write', 4],
        ['tmp', 'remove', 0],
      ],
      {},
    ],
    [
      'writing beside and renaming',
      'io.open("log.txt.new", "w"):write("better"):close() os.rename("log.txt.new", "log.txt")',
      [
        ['log.txt', 'write', 6],
        ['log.txt.new', 'remove', 0],
      ],
      { 'log.txt': 'better' },
    ],
    ['file.save', 'file.save("new.txt", "abc")', [['new.txt', 'write', 3]], { 'new.txt': 'abc' }],
    [
      'a file left open',
      'leaked = io.open("new.txt", "w") leaked:write("abc")',
      [['new.txt', 'write', 3]],
      { 'new.txt': 'abc' },
    ],
    [
      'one name written in several ways',
      'io.open("./new.txt", "w"):write("1"):close() io.open(".//new.txt", "a"):write("2"):close() file.save("x/./y//z", "3")',
      [
        ['new.txt', 'write', 2],
        ['x/y/z', 'write', 1],
      ],
      { 'new.txt': '12', 'x/y/z': '3' },
    ],
    [
      'names in the order of their bytes',
      'for _, n in ipairs { "é", "b", "a/x", "a0", "B", "😀", "\\u{FF5E}" } do file.save(n, "") end',
      [
        ['B', 'write', 0],
        ['a/x', 'write', 0],
        ['a0', 'write', 0],
        ['b', 'write', 0],
        ['é', 'write', 0],
        ['\uff5e', 'write', 0],
        ['😀', 'write', 0],
      ],
      { B: '', 'a/x': '', a0: '', b: '', é: '', '\uff5e': '', '😀': '' },
    ],
    [
      'bytes, not characters',
      'file.save("new.txt", "é😀\\0")',
      [['new.txt', 'write', 7]],
      { 'new.txt': 'é😀\0' },
    ],
  ]

  it.each(CASES)('tells of %s', async (_, script, rows, changed) => {
    const storage = await storageWith(STORED)
    const { files, error } = await runLua(script, { storage })
    expect({ files, error }).toEqual({
      files: rows.map(([name, op, bytes]) => ({ name, op, bytes })),
      error: undefined,
    })
    const texts = Object.entries({ ...STORED, ...changed }).filter(([, text]) => text !== null)
    expect(await textsIn(storage)).toEqual(Object.fromEntries(texts))
  })
})

describe('open files', () => {
  const CASES: [fact: string, script: string, logs: string[]][] = [
    [
      'on one name share their content',
      `local w, r = io.open("f", "w"), io.open("f", "r")
       w:write("one\\n") w:flush() print(r:read("l"))
       w:write("two\\n") w:flush() print(r:read("l"), r:read("l"))`,
      ['one', 'two\tnil'],
    ],
    [
      'on one name have each their own position',
      `local a, b = io.open("data.txt"), io.open("./data.txt")
       print(a:read(3), b:read(5), a:read(2), b:seek("set", 0), b:read(1), a:seek())`,
      ['012\t01234\t34\t0\t0\t5'],
    ],
    [
      'that write to one name overwrite each other',
      `local a, b = io.open("f", "w"), io.open("f", "w")
       a:write("aaaa") a:flush() b:write("bb") b:flush()
       print(io.open("f"):read("a"))`,
      ['bbaa'],
    ],
    [
      'that append to one name all go to its end',
      `local a, b = io.open("log.txt", "a"), io.open("log.txt", "a")
       a:write("1") a:flush() b:write("2") b:flush() a:write("3") a:flush()
       print((io.open("log.txt"):read("a"):gsub("\\n", ";")))`,
      ['old;123'],
    ],
    [
      'are emptied when another opens their name with w',
      `local r = io.open("data.txt") print(r:read(2))
       io.open("data.txt", "w"):close()
       print(r:seek("end"))`,
      ['01', '0'],
    ],
    [
      'keep their content when their name is removed',
      'local r = io.open("data.txt") os.remove("data.txt") print(r:read("a")) print(io.open("data.txt"))',
      ['0123456789', 'nil\tdata.txt: No such file or directory\t2'],
    ],
    [
      'whose name is removed write nowhere',
      `local w = io.open("f", "w") w:write("a") os.remove("f")
       print(w:write("b") == w, w:close(), io.open("f"))`,
      ['true\ttrue\tnil\tf: No such file or directory\t2'],
    ],
    [
      'whose name is removed do not write into a new file of that name',
      `local w = io.open("f", "w") w:write("a") w:flush() os.remove("f")
       io.open("f", "w"):write("new"):close()
       w:write("b") w:close() print(io.open("f"):read("a"))`,
      ['new'],
    ],
    [
      'follow a rename',
      `local w = io.open("f", "w") w:write("a") w:flush() os.rename("f", "g")
       w:write("b") w:close() print(io.open("g"):read("a"), io.open("f") == nil)`,
      ['ab\ttrue'],
    ],
    [
      'raise after they are closed',
      `local f = io.open("data.txt") f:close()
       print(pcall(f.read, f)) print(pcall(f.close, f)) print(io.type(f), tostring(f))`,
      [
        'false\tattempt to use a closed file',
        'false\tattempt to use a closed file',
        'closed file\tfile (closed)',
      ],
    ],
    [
      'refuse what they were not opened for',
      `local r, w = io.open("data.txt"), io.open("f", "w")
       print(r:write("x")) print(w:read("a"))`,
      ['nil\tBad file descriptor\t9', 'nil\tBad file descriptor\t9'],
    ],
  ]

  it.each(CASES)('%s', async (_, script, logs) => {
    expect(await logsOf(script, { storage: await storageWith(STORED) })).toEqual(logs)
  })

  it('whose name is removed leave nothing in the store', async () => {
    const storage = await storageWith(STORED)
    const script =
      'local w = io.open("log.txt", "a") os.remove("log.txt") w:write("lost") w:close()'
    const { files } = await runLua(script, { storage })
    expect(files).toEqual([{ name: 'log.txt', op: 'remove', bytes: 0 }])
    expect(await textsIn(storage)).toEqual({ 'data.txt': '0123456789', 'd/x.txt': 'x' })
  })
})

describe('a name', () => {
  it.each(['r', 'r+', 'a', 'a+'])('of a stored folder cannot be opened with %j', async (mode) => {
    const storage = await storageWith(STORED)
    expect(await logsOf(`print(io.open("d", "${mode}"))`, { storage })).toEqual([
      'nil\td: Is a directory\t21',
    ])
  })

  it.each(['r', 'r+', 'w', 'w+', 'a', 'a+'])(
    'that the run made a folder cannot be opened with %j',
    async (mode) => {
      const script = `io.open("e/x", "w"):close() print(io.open("e", "${mode}"))`
      expect(await logsOf(script)).toEqual(['nil\te: Is a directory\t21'])
    },
  )

  it.each(['r', 'r+', 'w', 'w+', 'a', 'a+'])(
    'below a file of the run cannot be opened with %j',
    async (mode) => {
      const script = `io.open("f", "w"):close() print(io.open("f/x", "${mode}"))`
      expect(await logsOf(script)).toEqual(['nil\tf/x: Not a directory\t20'])
    },
  )

  it('is free again once the last file of the folder is gone', async () => {
    const storage = await storageWith(STORED)
    const script = 'os.remove("d/x.txt") io.open("d", "a"):write("file"):close()'
    const { files, error } = await runLua(script, { storage })
    expect({ files, error }).toEqual({
      files: [
        { name: 'd', op: 'write', bytes: 4 },
        { name: 'd/x.txt', op: 'remove', bytes: 0 },
      ],
      error: undefined,
    })
  })

  it.each([
    ['""', 'path cannot be empty'],
    ['"a\\0b"', 'path cannot contain null bytes'],
    ['"/a"', 'path must be relative'],
    ['"../a"', "path cannot contain '..' traversal"],
    ['"a/../b"', "path cannot contain '..' traversal"],
    ['"a/.."', "path cannot contain '..' traversal"],
    ['"/../\\0"', 'path cannot contain null bytes'],
    ['"/.."', 'path must be relative'],
    ['"../\\xff"', "path cannot contain '..' traversal"],
    ['"a\\xff"', 'path is not valid: '],
    ['"a\\nb"', 'path is not valid: '],
    ['"a\\\\b"', 'path is not valid: '],
    ['("x"):rep(513)', 'path is not valid: '],
  ])('%s raises wherever a script gives it', async (path, message) => {
    const script = `
      local path = ${path}
      print(pcall(io.open, path))
      print(pcall(io.open, path, "w"))
      print(pcall(io.lines, path))
      print(pcall(os.remove, path))
      print(pcall(os.rename, path, "x"))
      print(pcall(os.rename, "x", path))
      print(pcall(file.save, path, "x"))
      io.open(path, "w")
    `
    const { logs, error, files } = await runLua(script)
    expect(logs).toHaveLength(7)
    for (const line of logs) expect(line.startsWith(`false\t${message}`)).toBe(true)
    expect(new Set(logs).size).toBe(1)
    expect(error?.message).toBe(`script:10: ${logs[0]!.slice('false\t'.length)}`)
    expect(files).toEqual([])
  })

  it.each([
    ['a null byte', '\\0b', 'path cannot contain null bytes'],
    ['a traversal', '/../b', "path cannot contain '..' traversal"],
    ['a control character', '\\n', 'path is not valid: '],
  ])('is refused for %s, however far behind it stands', async (_, end, message) => {
    const script = `
      for _, bytes in ipairs { 256, 512, 1024, 2048, 4096, 8192, 32768 } do
        local path = ("./"):rep(bytes // 2 - 1) .. "/a" .. "${end}"
        print(pcall(io.open, path, "w"))
        print(pcall(os.remove, path))
        print(pcall(file.save, path, "x"))
        print(pcall(io.list, path))
      end
    `
    const { logs, error, files } = await runLua(script)
    expect({ error, files }).toEqual({ error: undefined, files: [] })
    expect(logs.map((line) => line.slice(0, `false\t${message}`.length))).toEqual(
      Array.from({ length: 28 }, () => `false\t${message}`),
    )
  })

  it.each(['a..b', '..a', 'a..', '...', 'a b', 'é/日本', '-', '~', 'a:b', 'a*?', 'x'.repeat(512)])(
    '%j is an ordinary one',
    async (name) => {
      const { files } = await runLua('io.open(args, "w"):write("1"):close()', { args: name })
      expect(files).toEqual([{ name, op: 'write', bytes: 1 }])
    },
  )
})

describe('a caller', () => {
  const run = async (script: string, access: FileAccess) => {
    const storage = await storageWith(STORED)
    const outcome = await runLua(script, { storage, access })
    return { ...outcome, stored: await textsIn(storage) }
  }
  const ATTEMPTS = `
    local function try(name, ...) print(name, (pcall(...))) end
    for _, mode in ipairs { "r", "r+", "w", "w+", "a", "a+" } do try(mode, io.open, "log.txt", mode) end
    try("lines", io.lines, "log.txt")
    try("list", io.list)
    try("remove", os.remove, "data.txt")
    try("rename", os.rename, "d/x.txt", "d/y.txt")
    try("save", file.save, "new.txt", "x")
  `

  it('with neither scope has no files, and can print and compute', async () => {
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

  it('with neither scope fails with an ordinary error', async () => {
    const { error } = await run('io.open("x")', { canRead: false, canWrite: false })
    expect(error).toMatchObject({
      kind: 'runtime',
      message: "script:1: attempt to index a nil value (global 'io')",
    })
  })

  it('who may only read cannot change anything', async () => {
    const access = { canRead: true, canWrite: false }
    const { logs, files, stored } = await run(ATTEMPTS, access)
    expect(logs).toEqual([
      'r\ttrue',
      'r+\tfalse',
      'w\tfalse',
      'w+\tfalse',
      'a\tfalse',
      'a+\tfalse',
      'lines\ttrue',
      'list\ttrue',
      'remove\tfalse',
      'rename\tfalse',
      'save\tfalse',
    ])
    expect({ files, stored }).toEqual({ files: [], stored: STORED })
  })

  it('who may only write cannot look at anything', async () => {
    const access = { canRead: false, canWrite: true }
    const { logs, files, stored } = await run(ATTEMPTS, access)
    expect(logs).toEqual([
      'r\tfalse',
      'r+\tfalse',
      'w\ttrue',
      'w+\tfalse',
      'a\ttrue',
      'a+\tfalse',
      'lines\tfalse',
      'list\tfalse',
      'remove\ttrue',
      'rename\ttrue',
      'save\ttrue',
    ])
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
  ])('who may only %s is told the scope that is missing', async (_, access, script, scope) => {
    const { error } = await run(`\n${script}`, access)
    expect(error).toMatchObject({ kind: 'runtime', line: 2 })
    expect(error?.message).toContain(scope)
  })

  it.each([
    ['out', true],
    ['out/a', true],
    ['./out//a', true],
    ['out/deep/a', true],
    ['share/team/a', true],
    ['outer', false],
    ['outer/a', false],
    ['ou', false],
    ['Out/a', false],
    ['a/out', false],
    ['share', false],
    ['share/teams/a', false],
    ['share/a', false],
  ])('whose paths are "out" and "share/team/" may use %j: %s', async (path, isAllowed) => {
    const access = { canRead: true, canWrite: true, paths: { allowed: [['out', 'share/team/']] } }
    const script = `
      local path = args
      print(pcall(file.save, path, "x"))
      print(pcall(io.lines, path))
      print(pcall(os.rename, path, path))
      print(pcall(io.open, path, "a"))
      print(pcall(os.remove, path))
      print(pcall(io.list, path))
    `
    const { logs, files } = await runLua(script, { args: path, access })
    expect(logs.map((line) => line.startsWith('true'))).toEqual(logs.map(() => isAllowed))
    expect(files.map(({ name, op }) => [name, op])).toEqual(
      isAllowed ? [[path.replace('./', '').replace('//', '/'), 'remove']] : [],
    )
    if (!isAllowed) expect(logs).toEqual(logs.map(() => 'false\tpath is not allowed'))
  })

  it('whose paths are limited cannot list what lies above them', async () => {
    const access = { canRead: true, canWrite: true, paths: { allowed: [['d']] } }
    const script = 'print(pcall(io.list)) print(pcall(io.list, ".")) print(io.list("d")[1])'
    const { logs } = await run(script, access)
    expect(logs).toEqual(['false\tpath is not allowed', 'false\tpath is not allowed', 'x.txt'])
  })

  it('whose paths are limited cannot rename out of them or into them', async () => {
    const access = { canRead: true, canWrite: true, paths: { allowed: [['d']] } }
    const script = `
      print(pcall(os.rename, "d/x.txt", "x.txt"))
      print(pcall(os.rename, "log.txt", "d/log.txt"))
    `
    const { logs, files, stored } = await run(script, access)
    expect(logs).toEqual(['false\tpath is not allowed', 'false\tpath is not allowed'])
    expect({ files, stored }).toEqual({ files: [], stored: STORED })
  })

  it.each([256, 512, 1024, 2048, 4096, 8192, 65536])(
    'whose paths are limited cannot hide another path behind %i bytes',
    async (bytes) => {
      const access = { canRead: true, canWrite: true, paths: { allowed: [['d']] } }
      const script = `
        local path = ("./"):rep(args // 2 - 1) .. "/d" .. "ata.txt"
        for _, mode in ipairs { "r", "w", "a" } do print((pcall(io.open, path, mode))) end
        print((pcall(os.remove, path)))
        print((pcall(file.save, path, "x")))
      `
      const storage = await storageWith(STORED)
      const { logs, files } = await runLua(script, { args: bytes, storage, access })
      expect({ logs, files }).toEqual({
        logs: ['false', 'false', 'false', 'false', 'false'],
        files: [],
      })
      expect(await textsIn(storage)).toEqual(STORED)
    },
  )

  it('whose paths are limited is told of worse faults first', async () => {
    const access = { canRead: true, canWrite: true, paths: { allowed: [['d']] } }
    const script =
      'print(pcall(io.open, "x/..")) print(pcall(io.open, "x\\n")) print(pcall(io.open, "x"))'
    const { logs } = await run(script, access)
    expect(logs).toEqual([
      "false\tpath cannot contain '..' traversal",
      expect.stringMatching(/^false\tpath is not valid: /),
      'false\tpath is not allowed',
    ])
  })
})
