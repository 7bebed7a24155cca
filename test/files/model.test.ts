/** Random scripts on virtual files against a model that is a plain map of texts. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FileError } from '../../src/files/file-error.ts'
import { parseFolder } from '../../src/files/path.ts'
import { compareUtf8 } from '../../src/storage/key-order.ts'
import { intercept, Run, storageWith, textsIn } from './harness.ts'

class Model {
  readonly texts: Map<string, string>
  readonly touched = new Set<string>()

  constructor(stored: Record<string, string>) {
    this.texts = new Map(Object.entries(stored))
  }

  find(path: string): string | undefined {
    const names = [...this.texts.keys()]
    if (names.some((name) => path.startsWith(`${name}/`))) throw new FileError('ENOTDIR')
    if (names.some((name) => name.startsWith(`${path}/`))) throw new FileError('EISDIR')
    return this.texts.get(path)
  }

  existing(path: string): string {
    const text = this.find(path)
    if (text === undefined) throw new FileError('ENOENT')
    return text
  }

  save(path: string, mode: 'w' | 'a' | 'r+', text: string): void {
    const old = mode === 'r+' ? this.existing(path) : (this.find(path) ?? '')
    const made = { w: text, a: old + text, 'r+': text + old.slice(text.length) }[mode]
    this.texts.set(path, made)
    if (mode !== 'r+' || text !== '') this.touched.add(path)
  }

  remove(path: string): void {
    this.existing(path)
    this.texts.delete(path)
    this.touched.add(path)
  }

  rename(from: string, to: string): void {
    const text = this.existing(from)
    if (from === to) return
    this.find(to)
    this.texts.delete(from)
    this.texts.set(to, text)
    this.touched.add(from).add(to)
  }

  list(): string[] {
    const names = [...this.texts.keys()].map((path) => path.split('/', 1)[0]!)
    return [...new Set(names)].sort(compareUtf8)
  }
}

// The folder is never stored beforehand: overwriting does not ask, so only the run's own folders are seen.
const storedTexts = fc.dictionary(
  fc.constantFrom('a', 'b', 'e/f'),
  fc.constantFrom('', '12', '345'),
)
const path = fc.constantFrom('a', 'b', 'c', 'd', 'd/x', 'd/x/y', 'e/f', 'e/g')
const text = fc.constantFrom('', '+', 'text')

const command = fc.oneof(
  fc.tuple(fc.constant('save'), path, fc.constantFrom('w', 'a', 'r+'), text),
  fc.tuple(fc.constant('load'), path),
  fc.tuple(fc.constant('remove'), path),
  fc.tuple(fc.constant('rename'), path, path),
  fc.tuple(fc.constant('list')),
)

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

async function onModel(model: Model, [verb, ...args]: Command): Promise<unknown> {
  if (verb === 'save') return model.save(args[0]!, args[1] as 'w', args[2]!)
  if (verb === 'load') return model.existing(args[0]!)
  if (verb === 'remove') return model.remove(args[0]!)
  if (verb === 'rename') return model.rename(args[0]!, args[1]!)
  return model.list()
}

async function onRun(run: Run, [verb, ...args]: Command): Promise<unknown> {
  if (verb === 'save') return run.save(args[0]!, args[1] as 'w', args[2]!)
  if (verb === 'load') return run.load(args[0]!)
  if (verb === 'remove') return run.remove(args[0]!)
  if (verb === 'rename') return run.rename(args[0]!, args[1]!)
  return run.files.list(parseFolder('.'))
}

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => {
    if (error instanceof FileError) return error.code
    throw error
  })
}

it('any script sees, stores and reports what the model says', async () => {
  const script = fc.array(command, { maxLength: 25 })
  const check = fc.asyncProperty(
    storedTexts,
    script,
    fc.boolean(),
    async (stored, commands, isLate) => {
      const inner = await storageWith(stored)
      const late = () => new Promise<void>((resolve) => setTimeout(resolve))
      const run = new Run(isLate ? intercept(inner, late) : inner)
      const model = new Model(stored)
      for (const each of commands) {
        const seen = await outcomeOf(onRun(run, each))
        expect([each, seen]).toEqual([each, await outcomeOf(onModel(model, each))])
      }
      const rows = await run.files.finish()
      expect(await textsIn(inner)).toEqual(Object.fromEntries(model.texts))
      const expected = [...model.touched].sort(compareUtf8).map((name) => {
        return { name, op: expect.any(String), bytes: model.texts.get(name)?.length ?? 0 }
      })
      expect(rows).toEqual(expected)
      for (const { name, op } of rows) expect(op === 'remove').toBe(!model.texts.has(name))
      expect(run.files.openHandles).toBe(0)
    },
  )
  await fc.assert(check, { numRuns: 300 })
}, 60_000)
