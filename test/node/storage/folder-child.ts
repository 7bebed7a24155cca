/** A second process on a folder: what it does is its first argument. */
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PreconditionFailed } from '../../../src/storage/driver.ts'
import { newOwner } from '../../../src/storage/folder/lock.ts'
import { folderStorage } from '../../../src/storage/folder/folder.ts'

const [task, root, ...rest] = process.argv.slice(2) as [string, string, ...string[]]
const storage = folderStorage(root)
const encode = (written: string) => new TextEncoder().encode(written)

/** All of them begin at the same time. */
async function ready(): Promise<void> {
  console.info('ready')
  await text(process.stdin)
}

const TASKS: Readonly<Record<string, () => Promise<void>>> = {
  /** Creates those of N objects that are missing, and prints which. */
  async create() {
    const [name, count] = rest
    await ready()
    for (let i = 0; i < Number(count); i++) {
      try {
        await storage.put(`created/${i}`, encode(name!), { ifNoneMatch: '*' })
        console.info(i)
      } catch (error) {
        if (!(error instanceof PreconditionFailed)) throw error
      }
    }
  },

  /** Runs N scripts that append a line each. */
  async append() {
    const [name, count] = rest
    const { runLua } = await import('../../support/run-lua.ts')
    await ready()
    for (let i = 0; i < Number(count); i++) {
      const script = `io.open('log', 'a'):write(args, '\\n'):close()`
      const { error } = await runLua(script, { storage, args: `${name} ${i}` })
      if (error) throw new Error(error.message)
    }
  },

  /** Makes and removes the same folder over and over, with a file in it. */
  async flicker() {
    const [name, count] = rest
    await ready()
    for (let i = 0; i < Number(count); i++) {
      await storage.put(`a/b/${name}`, encode(`${i}`))
      await storage.delete(`a/b/${name}`)
    }
  },

  /** Replaces two objects until it is killed, each time by one letter over and over. */
  async replace() {
    const bytes = Number(rest[0])
    for (let i = 0; ; i++) {
      const body = new Uint8Array(bytes).fill(65 + (i % 26))
      await storage.put('large', body, { metadata: { letter: String.fromCharCode(body[0]!) } })
      await storage.put('folder/small', body.subarray(0, 10))
      if (i === 0) console.info('began')
    }
  },

  /** Prints how a put fails. */
  async put() {
    const [key, bytes] = rest
    const put = storage.put(key!, new Uint8Array(Number(bytes)))
    console.info(await put.then(() => 'stored', String))
  },

  /** Tells who it is, to somebody who will outlive it. */
  async owner() {
    console.info(await newOwner())
  },

  /** Puts a link in the place of a folder and the folder back, until it is killed. */
  async swap() {
    const swapped = join(root, 'swapped')
    const spare = join(root, 'spare')
    console.info('began')
    for (;;) {
      insist(() => renameSync(swapped, spare))
      insist(() => symlinkSync(rest[0]!, swapped), swapped)
      insist(() => renameSync(spare, swapped), swapped)
    }
  },
}

/** Others may have put something there meanwhile. */
function insist(change: () => void, inTheWay?: string): void {
  for (;;) {
    try {
      if (inTheWay !== undefined) rmSync(inTheWay, { recursive: true, force: true })
      return change()
    } catch {
      continue
    }
  }
}

await TASKS[task]!()
