/** Libraries do what they do in native Lua: the same of their own tests pass. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { runLua } from '../support/run-lua.ts'
import { PREFIX } from '../support/seeded-storage.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { LIBRARIES, LUA, type Library, type TestKind } from './libraries.ts'

const folder = process.env.LIBRARIES_FOLDER ?? ''
const RUNNER = readFileSync(new URL('spec-runner.lua', import.meta.url))

/** Where a module is does not depend on `package.path`, which some tests set. */
const NATIVE = `package.path, package.cpath = "lib/?.lua;lib/?/init.lua", ""
  table.insert(package.searchers, 2, function(name)
    local file = package.searchpath(name, "lib/?.lua;lib/?/init.lua")
    if file then return loadfile(file), file end
  end)`

/** One line per test: whether it passed, and its name. */
type Outcomes = Map<string, boolean>

/** Messages of failures, to see why. */
const problems = new Map<string, string>()

const table: string[] = []
afterAll(() => console.info(['', 'library: native, ours, of', ...table].join('\n')))

it.each(Object.entries(LIBRARIES))('%s', async (name, library) => {
  const tree = plant(name, library)
  const files = filesIn(tree)
  const storage = memoryStorage()
  for (const file of files) await storage.put(PREFIX + file, readFileSync(join(tree, file)))

  const [native, ours]: [Outcomes, Outcomes] = [new Map(), new Map()]
  for (const [kind, pattern] of library.tests) {
    for (const file of files.filter((path) => pattern.test(path))) {
      addAll(native, file, runNative(tree, file, kind))
      addAll(ours, file, await runOurs(storage, file, kind))
    }
  }
  table.push(`${name}: ${passed(native).length}, ${passed(ours).length}, ${native.size}`)
  expect(passed(native).length).toBeGreaterThan(0)
  const missing = passed(native).filter((test) => !ours.get(test))
  for (const test of missing) {
    if (!library.nativeOnly?.[test]) console.info(test, problems.get(test))
  }
  expect(missing.sort()).toEqual(Object.keys(library.nativeOnly ?? {}).sort())
})

/** The library's own files, and in `lib/` all that its tests may need. */
function plant(name: string, library: Library): string {
  const tree = tempFolder()
  cpSync(join(folder, name), tree, { recursive: true })
  const place = (owner: string, { modules }: Library) => {
    for (const [from, to] of Object.entries(modules)) {
      mkdirSync(dirname(join(tree, 'lib', to)), { recursive: true })
      cpSync(join(folder, owner, from), join(tree, 'lib', to), { recursive: true })
    }
  }
  const helpers = Object.entries(LIBRARIES).filter(([one]) => /^(luassert|say|Penlight) /.test(one))
  for (const [owner, helper] of helpers) place(owner, helper)
  place(name, library)
  writeFileSync(join(tree, 'lib/spec_runner.lua'), RUNNER)
  return tree
}

function filesIn(tree: string): string[] {
  const paths = readdirSync(tree, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => !path.startsWith('doc') && statSync(join(tree, path)).isFile())
}

function runNative(tree: string, file: string, kind: TestKind): string[] {
  const program = `require("spec_runner")(${JSON.stringify(file)}, "${kind}")`
  const { stdout } = spawnSync(LUA, ['-e', NATIVE, '-e', program], {
    cwd: tree,
    env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout.split('\n')
}

async function runOurs(storage: StorageDriver, file: string, kind: TestKind): Promise<string[]> {
  const script = 'require("spec_runner")(args.file, args.kind)'
  const { logs } = await runLua(script, { storage, args: { file, kind }, storesOnClose: false })
  return [...logs]
}

/** A file that ends before it has said anything has failed as a whole. */
function addAll(outcomes: Outcomes, file: string, lines: readonly string[]): void {
  const told = lines.flatMap((line) => {
    const [, verdict, test, problem] = /^(ok|failed|not ok)[ \d]*\t([^\t]+)\t?(.*)/.exec(line) ?? []
    if (!verdict || !test) return []
    if (problem) problems.set(test.trim(), problem)
    return [[test.trim(), verdict.startsWith('ok')] as const]
  })
  if (told.length === 0) outcomes.set(file, false)
  for (const [test, ok] of told) outcomes.set(test, ok && outcomes.get(test) !== false)
}

function passed(outcomes: Outcomes): string[] {
  return [...outcomes].flatMap(([test, ok]) => (ok ? [test] : []))
}
