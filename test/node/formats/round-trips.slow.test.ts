/** What scripts write is read by Python, unzip and gunzip, and what these write by scripts. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/storage/memory.ts'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { runLua } from '../../support/run-lua.ts'
import { PREFIX } from '../../support/seeded-storage.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const FIELDS = [
  'plain',
  '',
  ' spaces ',
  'a,b;c\td',
  'say "hi"',
  '"',
  'two\nlines',
  'three\r\nof\rthem',
  "it's",
  'é 日本 🦜',
  '-1.5',
  'x'.repeat(70_000),
]
const ROWS = FIELDS.map((_, i) => [...FIELDS.slice(i), ...FIELDS.slice(0, i)].slice(0, 7))

const folder = tempFolder()
const pathOf = (name: string) => join(folder, name)

function python(code: string): string {
  return execFileSync('python3', ['-c', code], { cwd: folder, encoding: 'utf8', maxBuffer: 1e9 })
}

async function run(storage: StorageDriver, script: string, args?: unknown): Promise<unknown> {
  const { result, error } = await runLua(script, { storage, args })
  expect(error).toBeUndefined()
  return result
}

async function take(storage: StorageDriver, name: string): Promise<void> {
  writeFileSync(pathOf(name), (await storage.get(PREFIX + name))!.body)
}

async function give(storage: StorageDriver, name: string): Promise<void> {
  await storage.put(PREFIX + name, new Uint8Array(readFileSync(pathOf(name))))
}

describe('CSV', () => {
  it.each([',', ';', '\t', '|'])(
    "Python's csv reads what csv.writer writes with %j",
    async (separator) => {
      const storage = memoryStorage()
      const script = `local out = csv.writer("ours.csv", { separator = args.separator })
      for _, row in ipairs(args.rows) do out:write(row) end
      out:close()`
      await run(storage, script, { separator, rows: ROWS })
      await take(storage, 'ours.csv')
      const read = python(
        `import csv, json
csv.field_size_limit(10**9)
print(json.dumps(list(csv.reader(open("ours.csv", newline="", encoding="utf-8"), delimiter=${JSON.stringify(separator)}))))`,
      )
      expect(JSON.parse(read)).toEqual(ROWS)
    },
  )

  it.each(['\\r\\n', '\\n', '\\r'])(
    "csv.rows reads what Python's csv writes with %s",
    async (end) => {
      writeFileSync(pathOf('rows.json'), JSON.stringify(ROWS))
      const storage = memoryStorage()
      // Python quotes only those line ends that it writes itself.
      for (const quoting of end === '\\r' ? ['ALL'] : ['MINIMAL', 'ALL', 'NONNUMERIC']) {
        python(
          `import csv, json
with open("theirs.csv", "w", newline="", encoding="utf-8-sig") as f:
    csv.writer(f, lineterminator="${end}", quoting=csv.QUOTE_${quoting}).writerows(json.load(open("rows.json")))`,
        )
        await give(storage, 'theirs.csv')
        const script = `local rows = {}
        for row in csv.rows("theirs.csv", { header = false }) do rows[#rows + 1] = row end
        return rows`
        expect(await run(storage, script)).toEqual(ROWS)
      }
    },
  )
})

describe('ZIP', () => {
  const files = {
    'in/a.txt': 'a'.repeat(100_000),
    'in/é 日本.txt': 'é',
    'in/deep/er/empty': '',
    'in/photo.png': 'not really',
  }
  const CONTENT =
    'print(json.dumps({n: z.read(n).decode() for n in z.namelist() if not n.endswith("/")}))'

  it('unzip, and zipfile of Python, read what zip.create writes', async () => {
    const storage = memoryStorage()
    const script = `for name, text in pairs(args) do file.save(name, text) end
      zip.create("ours.zip", { "in" })`
    await run(storage, script, files)
    await take(storage, 'ours.zip')
    const read = python(
      `import json, zipfile\nz = zipfile.ZipFile("ours.zip")\nassert z.testzip() is None\n${CONTENT}`,
    )
    expect(JSON.parse(read)).toEqual(files)
    const { status } = spawnSync('unzip', ['-t', pathOf('ours.zip')])
    // Not everywhere; where it is, it finds nothing wrong.
    expect([0, null]).toContain(status)
  })

  it('zip.extract reads what zipfile of Python writes, with ZIP64 too', async () => {
    python(
      `import json, zipfile
files = json.loads(${JSON.stringify(JSON.stringify(files))})
with zipfile.ZipFile("theirs.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.comment = b"a comment"
    z.mkdir("in")
    for i, (name, text) in enumerate(files.items()):
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED if i % 2 else zipfile.ZIP_STORED
        with z.open(info, "w", force_zip64=True) as f:
            f.write(text.encode())`,
    )
    const storage = memoryStorage()
    await give(storage, 'theirs.zip')
    const script = `local texts = {}
      for _, file in ipairs(zip.extract("theirs.zip", "out")) do
        texts[file.path:sub(5)] = io.open(file.path):read("a")
      end
      return texts`
    expect(await run(storage, script)).toEqual(files)
  })

  it('zip.list reads an archive of more than 65,535 entries', async () => {
    python(
      `import zipfile
with zipfile.ZipFile("many.zip", "w") as z:
    for i in range(70000): z.writestr(str(i), b"")`,
    )
    const storage = memoryStorage()
    await give(storage, 'many.zip')
    expect(
      await run(storage, 'local all = zip.list("many.zip") return { #all, all[70000].name }'),
    ).toEqual([70_000, '69999'])
  })
})

describe('gzip', () => {
  const text = 'some text that repeats. '.repeat(50_000)

  it('gunzip reads what gzip.compress writes', async () => {
    const storage = memoryStorage()
    await run(storage, 'file.save("a.txt", args) gzip.compress("a.txt", "ours.gz")', text)
    await take(storage, 'ours.gz')
    const read = execFileSync('gzip', ['-dc', pathOf('ours.gz')], { maxBuffer: 1e9 })
    expect(read.toString()).toBe(text)
  })

  it('gzip.decompress reads what gzip and Python write, in several members', async () => {
    writeFileSync(pathOf('a.txt'), text)
    const first = execFileSync('gzip', ['-9', '-c', pathOf('a.txt')])
    python('import gzip; open("b.gz", "wb").write(gzip.compress(b"end", mtime=0))')
    writeFileSync(pathOf('theirs.gz'), Buffer.concat([first, readFileSync(pathOf('b.gz'))]))
    const storage = memoryStorage()
    await give(storage, 'theirs.gz')
    const script = 'gzip.decompress("theirs.gz", "a.txt") return io.open("a.txt"):read("a")'
    expect((await run(storage, script)) === `${text}end`).toBe(true)
  })
})
