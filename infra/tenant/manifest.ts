/** An exported tenant: a folder with its objects as files, and a manifest that describes them. */
import { createHash } from 'node:crypto'
import { appendFileSync, createReadStream, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { UsageError } from '../command-line.ts'

/** A line of the manifest; the last one of a key counts. */
export interface ExportedObject {
  /** Below the tenant. */
  readonly key: string
  /** Below the export's folder. */
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly content_type: string
  readonly metadata: Readonly<Record<string, string>>
  readonly modified_at: string
  /** Of the object that was exported. */
  readonly etag: string
}

const MANIFEST = 'manifest.jsonl'
const MAX_NAME_BYTES = 255

export class ExportFolder {
  readonly #folder: string
  readonly #objects = new Map<string, ExportedObject>()
  /** File names without case: some file systems do not tell them apart. */
  readonly #taken = new Map<string, string>()

  /** @throws {UsageError} for a manifest that is broken in the middle. */
  constructor(folder: string) {
    this.#folder = folder
    const path = join(folder, MANIFEST)
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
    // A killed export may have left half a line.
    for (const line of lines.slice(0, -1)) this.#remember(parseLine(line))
  }

  get exists(): boolean {
    return existsSync(join(this.#folder, MANIFEST))
  }

  get(key: string): ExportedObject | undefined {
    return this.#objects.get(key)
  }

  all(): ExportedObject[] {
    return [...this.#objects.values()]
  }

  has({ file }: ExportedObject): boolean {
    return existsSync(join(this.#folder, file))
  }

  /** Where an object goes: a readable name, if it can be that of a file here. */
  fileFor(key: string): string {
    const readable = `files/${key}`
    const owner = this.#taken.get(folded(readable))
    const isFree = owner === undefined || owner === key
    if (!isFree || !isPlain(key)) return otherFile(key)
    this.#take(readable, key)
    return readable
  }

  /** Writes the whole file or nothing; returns its hash. */
  async write(file: string, body: ReadableStream<Uint8Array>): Promise<string> {
    const path = join(this.#folder, file)
    mkdirSync(dirname(path), { recursive: true })
    const temporary = join(this.#folder, `${createHash('sha256').update(file).digest('hex')}.part`)
    const hash = createHash('sha256')
    const handle = await open(temporary, 'w')
    try {
      for await (const chunk of body) {
        hash.update(chunk)
        await handle.write(chunk)
      }
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
    return hash.digest('hex')
  }

  read({ file }: ExportedObject): ReadableStream<Uint8Array> {
    const stream = createReadStream(join(this.#folder, file))
    return Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>
  }

  /** After its file is there: an export that is killed goes on from what the manifest has. */
  add(object: ExportedObject): void {
    mkdirSync(this.#folder, { recursive: true })
    appendFileSync(join(this.#folder, MANIFEST), `${JSON.stringify(object)}\n`)
    this.#remember(object)
  }

  /** Forgets what the tenant no longer has, and writes the manifest anew, in key order. */
  async finish(isThere: (key: string) => boolean): Promise<void> {
    for (const { key, file } of this.all()) {
      if (isThere(key)) continue
      this.#objects.delete(key)
      await rm(join(this.#folder, file), { force: true })
    }
    const lines = this.all()
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map((object) => `${JSON.stringify(object)}\n`)
    mkdirSync(this.#folder, { recursive: true })
    const temporary = join(this.#folder, `${MANIFEST}.part`)
    await writeFile(temporary, lines.join(''))
    await rename(temporary, join(this.#folder, MANIFEST))
  }

  #remember(object: ExportedObject): void {
    this.#objects.set(object.key, object)
    this.#take(object.file, object.key)
  }

  /** Also the folders above: a file cannot have the name of one. */
  #take(file: string, key: string): void {
    const parts = folded(file).split('/').slice(0, -1)
    for (; parts.length > 1; parts.pop()) this.#taken.set(parts.join('/'), '')
    this.#taken.set(folded(file), key)
  }
}

/** For keys that cannot be names of files, such as markers of folders. */
export function otherFile(key: string): string {
  return `other/${createHash('sha256').update(key).digest('hex')}`
}

function isPlain(key: string): boolean {
  return key.split('/').every((name) => {
    const isName = name !== '' && name !== '.' && name !== '..' && !/[\p{Cc}\\]/u.test(name)
    return isName && Buffer.byteLength(name) <= MAX_NAME_BYTES
  })
}

function folded(file: string): string {
  return file.normalize('NFC').toLowerCase()
}

function parseLine(line: string): ExportedObject {
  try {
    return JSON.parse(line) as ExportedObject
  } catch {
    throw new UsageError(`${MANIFEST} is broken: export again into an empty folder`)
  }
}
