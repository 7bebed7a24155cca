/** Marks: empty objects whose names hold numbers, so that a single listing adds them up. */
import { toHex } from '../../lib/encode.ts'
import { PreconditionFailed } from '../../storage/driver.ts'
import { parsePath, type VirtualPath } from '../path.ts'
import type { AreaStore } from '../store/area-store.ts'
import { larger, NOTHING, sum, type Amount } from './amount.ts'

/** A mark of this process. */
export interface OwnMark {
  readonly path: VirtualPath
  readonly etag: string
  readonly amount: Amount
}

/** Times are the store's. */
interface Mark {
  readonly path: VirtualPath
  readonly amount: Amount
  readonly at: number
  /** How long after that its writes may still arrive. */
  readonly windowMs: number
  /** Its writes are over. */
  readonly isSettled: boolean
}

/** What a count found, and marks added since; marks that it includes are removed. */
interface Base {
  readonly path: VirtualPath
  readonly amount: Amount
  readonly at: number
  /** When everything was counted. */
  readonly countedAt: number
}

/** Why a new base is made. */
export type CountReason = 'unknown' | 'refusal' | 'clutter'

/** Someone counts, or has counted. */
interface Claim {
  readonly path: VirtualPath
  readonly reason: CountReason
  readonly at: number
  readonly isDone: boolean
}

/** Of this process. */
interface OwnClaim {
  done(): Promise<void>
  /** So that nobody waits for it. */
  release(): Promise<void>
}

/** How far a count of many files has come, which may take several requests to the service. */
export interface CountProgress {
  /** The store's time before the first file was listed. */
  readonly startedAt: number
  /** The last key listed. */
  readonly key: string
  readonly amount: Amount
}

/** A name that this version cannot read. */
interface Unreadable {
  readonly path: VirtualPath
  readonly at: number
}

/** One listing of a folder of marks. */
export interface SeenMarks {
  readonly marks: readonly Mark[]
  readonly bases: readonly Base[]
  readonly claims: readonly Claim[]
  readonly unreadable: readonly Unreadable[]
  /** Of a count that was cut off. */
  readonly hasProgress: boolean
  /** The largest, if several are left: none of them counts too little beside the marks. */
  readonly base: Amount
  /** When everything was last counted; 0 for never. */
  readonly countedAt: number
  /** The store's time, when the own mark was put; without one, of the newest object. */
  readonly now: number
  /** Everything, the own mark included. */
  readonly total: Amount
  /** The same, without marks put after the own one. */
  readonly ahead: Amount
}

const MARK = /^mark-[0-9a-f]{16}-(\d{1,15})-(\d{1,15})-(\d{1,9})$/
const BASE = /^base-[0-9a-f]{16}-(\d{1,15})-(\d{1,15})-(\d{1,15})$/
const CLAIM = /^claim-(unknown|refusal|clutter)-\d{1,12}$/
const PROGRESS = 'progress'
const ID_BYTES = 8
/** Shows in listings, which tell sizes and no content. */
const DONE = Uint8Array.of(1)

/** Marks of this process whose writes are over: it need not ask the store. */
const settledHere = new Set<VirtualPath>()
const MAX_REMEMBERED = 10_000

export class MarkFolder {
  readonly #store: AreaStore
  readonly #folder: VirtualPath

  constructor(store: AreaStore, folder: string) {
    this.#store = store
    this.#folder = parsePath(folder)
  }

  /** @param windowMs How long the writes it announces may take. */
  async put(amount: Amount, windowMs = 0): Promise<OwnMark> {
    const windowS = Math.ceil(windowMs / 1000)
    const path = this.#path(`mark-${newId()}-${amount.bytes}-${amount.objects}-${windowS}`)
    return { path, amount, etag: await this.#create(path) }
  }

  /** The writes that it announced are over, as far as this process is concerned. */
  remember({ path }: OwnMark): void {
    const [oldest] = settledHere
    if (settledHere.size >= MAX_REMEMBERED) settledHere.delete(oldest!)
    settledHere.add(path)
  }

  /** The same, for all processes. */
  async settle({ path, etag }: OwnMark): Promise<void> {
    await this.#store.put(path, DONE, { ifMatch: etag })
  }

  /** As {@link settle}, for the mark of another process. */
  async settleOther(path: VirtualPath): Promise<void> {
    const mark = await this.#store.head(path)
    if (mark?.bytes === 0) await this.#store.put(path, DONE, { ifMatch: mark.etag })
  }

  remove(path: VirtualPath): Promise<void> {
    return this.#store.remove(path)
  }

  /** Of a writer that has died: if it lives, it can no longer settle. */
  async removeUnsettled(path: VirtualPath): Promise<void> {
    const mark = await this.#store.head(path)
    if (mark?.bytes === 0) await this.#store.removeVersion(path, mark.etag)
  }

  async putBase({ bytes, objects }: Amount, countedAt: number): Promise<void> {
    await this.#create(this.#path(`base-${newId()}-${bytes}-${objects}-${countedAt}`))
  }

  /**
   * `undefined` without one, and if it is of no use: files written since may be in a newer base,
   * and their marks gone.
   */
  async progress({ hasProgress, bases }: SeenMarks): Promise<CountProgress | undefined> {
    const object = hasProgress ? await this.#store.get(this.#path(PROGRESS)) : null
    const progress = object && parseProgress(object.body)
    const isUsable = progress && bases.every(({ at }) => at < progress.startedAt)
    return isUsable ? progress : undefined
  }

  async putProgress(progress: CountProgress): Promise<void> {
    const body = new TextEncoder().encode(JSON.stringify(progress))
    await this.#store.put(this.#path(PROGRESS), body)
  }

  async removeProgress(): Promise<void> {
    await this.remove(this.#path(PROGRESS))
  }

  /** `null` if someone else has it. */
  async claim(reason: CountReason, minute: number): Promise<OwnClaim | null> {
    const path = this.#path(`claim-${reason}-${minute}`)
    try {
      const etag = await this.#create(path)
      return {
        done: async () => void (await this.#store.put(path, DONE, { ifMatch: etag })),
        release: () => this.#store.remove(path),
      }
    } catch (error) {
      if (error instanceof PreconditionFailed) return null
      throw error
    }
  }

  /** @param own Counts even if it is gone. */
  async read(own?: OwnMark): Promise<SeenMarks> {
    const marks: Mark[] = []
    const bases: Base[] = []
    const claims: Claim[] = []
    const unreadable: Unreadable[] = []
    let hasProgress = false
    for await (const { path, bytes = 0, modifiedAt } of this.#store.list(this.#folder)) {
      if (!modifiedAt) continue
      const name = path.slice(this.#folder.length + 1)
      const at = modifiedAt.getTime()
      const [mark, base, claim] = [MARK.exec(name), BASE.exec(name), CLAIM.exec(name)]
      const isDone = bytes > 0
      if (mark) {
        const windowMs = Number(mark[3]) * 1000
        const isSettled = isDone || settledHere.has(path)
        marks.push({ path, at, windowMs, amount: amountIn(mark), isSettled })
      } else if (base) {
        bases.push({ path, at, amount: amountIn(base), countedAt: Number(base[3]) })
      } else if (claim) claims.push({ path, at, reason: claim[1] as CountReason, isDone })
      else if (name === PROGRESS) hasProgress = true
      else unreadable.push({ path, at })
    }
    // Local clocks may be wrong; this is too early at worst, so that nothing seems to be over.
    const newest = Math.max(
      0,
      ...[...marks, ...bases, ...claims, ...unreadable].map(({ at }) => at),
    )
    const countedAt = Math.max(0, ...bases.map((base) => base.countedAt))
    const totals = totalsOf(bases, marks, own, newest)
    return { bases, claims, unreadable, hasProgress, countedAt, ...totals }
  }

  async #create(path: VirtualPath): Promise<string> {
    return (await this.#store.put(path, new Uint8Array(), { ifNoneMatch: '*' })).etag
  }

  #path(name: string): VirtualPath {
    return parsePath(`${this.#folder}/${name}`)
  }
}

function totalsOf(
  bases: readonly Base[],
  listed: readonly Mark[],
  own: OwnMark | undefined,
  newest: number,
) {
  const base = bases.map(({ amount }) => amount).reduce(larger, NOTHING)
  const found = listed.find(({ path }) => path === own?.path)
  const now = found?.at ?? newest
  const missing = own && !found
  const marks = missing
    ? [...listed, { ...own, at: now, windowMs: 0, isSettled: false }]
    : [...listed]
  const isAhead = ({ at, path, isSettled }: Mark) =>
    isSettled || at < now || (at === now && path <= (own?.path ?? path))
  const amounts = (some: readonly Mark[]) => sum(base, ...some.map(({ amount }) => amount))
  return { base, now, marks, total: amounts(marks), ahead: amounts(marks.filter(isAhead)) }
}

function amountIn([, bytes, objects]: RegExpExecArray): Amount {
  return { bytes: Number(bytes), objects: Number(objects) }
}

/** `undefined` for anything else than {@link MarkFolder.putProgress} stores. */
function parseProgress(body: Uint8Array): CountProgress | undefined {
  try {
    const progress = JSON.parse(new TextDecoder().decode(body)) as CountProgress
    const { startedAt, key, amount } = progress
    const numbers = [startedAt, amount.bytes, amount.objects]
    return typeof key === 'string' && numbers.every(Number.isSafeInteger) ? progress : undefined
  } catch {
    return undefined
  }
}

function newId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
}
