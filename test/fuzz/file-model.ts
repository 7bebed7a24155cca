/** A minimal model of POSIX files: names, contents and handles. Bytes are characters. */

interface Content {
  text: string
  op: 'append' | 'write'
}

interface Handle {
  readonly content: Content
  readonly mode: string
  at: number
}

/** What an operation answers: `E` and a number when it fails as Lua's functions do. */
export type Told = string

class Failure {
  readonly told: Told

  constructor(told: Told) {
    this.told = told
  }
}

const [ENOENT, EBADF, ENOTDIR, EISDIR, EINVAL] = ['E2', 'E9', 'E20', 'E21', 'E22']
const EFBIG = 'E27'

/** One run's view of files that were stored before. */
export class FileModel {
  readonly #files = new Map<string, Content>()
  readonly #touched = new Set<string>()
  readonly #handles = new Map<number, Handle>()
  readonly #inParts: number

  /** @param inParts A file with more characters may go up in parts while it is written. */
  constructor(stored: Readonly<Record<string, string>>, inParts = Infinity) {
    this.#inParts = inParts
    for (const [name, text] of Object.entries(stored)) this.#files.set(name, { text, op: 'append' })
  }

  /** Every content, by name. */
  get texts(): Record<string, string> {
    const named = [...this.#files].map(([name, { text }]) => [name, text] as const)
    return Object.fromEntries(named.sort())
  }

  /** What a run reports at its end. */
  get rows(): { name: string; op: string; bytes: number }[] {
    return [...this.#touched].sort().map((name) => {
      const content = this.#files.get(name)
      return { name, op: content?.op ?? 'remove', bytes: content?.text.length ?? 0 }
    })
  }

  /**
   * @param verb The name of one of the operations below.
   * @param answer What was answered: the model cannot know which large files go up in parts, but
   * which may, and what may be refused then.
   */
  tell([verb, ...values]: readonly (string | number)[], answer?: Told): Told {
    try {
      if (answer === EFBIG && this.#mayRefuse(verb, values)) return EFBIG
      return (this[verb as 'open'] as (...given: unknown[]) => Told).apply(this, values)
    } catch (failure) {
      if (failure instanceof Failure) return failure.told
      throw failure
    }
  }

  open(slot: number, path: string, mode: string): Told {
    this.#handles.delete(slot)
    const found = mode.startsWith('r') ? this.#existing(path) : this.#find(path)
    const content = found ?? { text: '', op: 'write' }
    if (!mode.startsWith('r')) this.#touched.add(path)
    if (mode.startsWith('w')) Object.assign(content, { text: '', op: 'write' })
    this.#files.set(path, content)
    // As glibc has it: who can only append begins at the end, who can also read at the start.
    this.#handles.set(slot, { content, mode, at: mode === 'a' ? content.text.length : 0 })
    return 'file'
  }

  read(slot: number, format: string | number): Told {
    const handle = this.#handle(slot)
    if (!/[r+]/.test(handle.mode)) throw new Failure(EBADF)
    const rest = handle.content.text.slice(handle.at)
    const line = rest.indexOf('\n') + 1 || rest.length
    const length = format === 'a' ? rest.length : format === 'l' ? line : Number(format)
    const taken = rest.slice(0, length)
    handle.at += taken.length
    if (taken === '' && format !== 'a') return 'nil'
    return `=${format === 'l' ? taken.replace(/\n$/, '') : taken}`
  }

  write(slot: number, text: string): Told {
    const handle = this.#handle(slot)
    const { content, mode } = handle
    if (mode === 'r') throw new Failure(EBADF)
    if (mode.startsWith('a')) handle.at = content.text.length
    else content.op = 'write'
    const before = content.text.slice(0, handle.at).padEnd(handle.at, '\0')
    content.text = before + text + content.text.slice(handle.at + text.length)
    handle.at += text.length
    const name = [...this.#files].find((entry) => entry[1] === content)?.[0]
    if (name !== undefined) this.#touched.add(name)
    return 'file'
  }

  seek(slot: number, from: 'set' | 'cur' | 'end', offset: number): Told {
    const handle = this.#handle(slot)
    const at = { set: 0, cur: handle.at, end: handle.content.text.length }[from] + offset
    if (at < 0) throw new Failure(EINVAL)
    handle.at = at
    return `=${at}`
  }

  close(slot: number): Told {
    this.#handle(slot)
    this.#handles.delete(slot)
    return '=true'
  }

  remove(path: string): Told {
    if (this.#isFolder(path)) return 'raised'
    this.#existing(path)
    this.#files.delete(path)
    this.#touched.add(path)
    return '=true'
  }

  rename(from: string, to: string): Told {
    const content = this.#existing(from)
    if (from === to) return '=true'
    this.#find(to)
    this.#files.delete(from)
    this.#files.set(to, content)
    content.op = 'write'
    this.#touched.add(from).add(to)
    return '=true'
  }

  list(folder: string): Told {
    if (folder !== '.' && (this.#files.has(folder) || this.#isBelowFile(folder))) return ENOTDIR!
    const prefix = folder === '.' ? '' : `${folder}/`
    const below = [...this.#files.keys()].filter((name) => name.startsWith(prefix))
    if (below.length === 0 && prefix !== '') return ENOENT!
    const names = below.map((name) => name.slice(prefix.length).split('/', 1)[0]!)
    return `=${[...new Set(names)].sort().join(' ')}`
  }

  #mayRefuse(verb: string | number | undefined, values: readonly (string | number)[]): boolean {
    const [first, second, third] = values
    if (verb === 'rename') return this.#mayGoUp(this.#files.get(String(first)))
    if (verb === 'open') {
      this.#handles.delete(Number(first))
      return this.#mayGoUp(this.#files.get(String(second)))
    }
    const handle = this.#handles.get(Number(first))
    if (verb !== 'seek' || handle?.mode !== 'w' || !this.#mayGoUp(handle.content)) return false
    const { length } = handle.content.text
    return { set: 0, cur: handle.at, end: length }[second as 'set'] + Number(third) !== length
  }

  /** Open for writing forward, and large. */
  #mayGoUp(content: Content | undefined): boolean {
    if (!content || content.text.length <= this.#inParts) return false
    return [...this.#handles.values()].some((one) => one.content === content && one.mode === 'w')
  }

  #handle(slot: number): Handle {
    const handle = this.#handles.get(slot)
    if (!handle) throw new Failure('closed')
    return handle
  }

  #isFolder(path: string): boolean {
    return [...this.#files.keys()].some((name) => name.startsWith(`${path}/`))
  }

  #isBelowFile(path: string): boolean {
    return [...this.#files.keys()].some((name) => path.startsWith(`${name}/`))
  }

  #find(path: string): Content | undefined {
    if (this.#isBelowFile(path)) throw new Failure(ENOTDIR!)
    if (this.#isFolder(path)) throw new Failure(EISDIR!)
    return this.#files.get(path)
  }

  #existing(path: string): Content {
    const found = this.#find(path)
    if (!found) throw new Failure(ENOENT!)
    return found
  }
}
