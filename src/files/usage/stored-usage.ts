/**
 * How much a tenant has stored: what the last count found, plus all marks put since.
 *
 * Every write puts a mark first, so what the store holds is never more than that, whatever dies
 * when. A count removes only marks whose writes had ended before it began. Errors are always
 * upward, until the next count.
 */
import { QuotaExceeded } from '../../errors.ts'
import { pause } from '../../lib/abort.ts'
import { inParallel } from '../../lib/parallel.ts'
import type { ListedObject } from '../../storage/driver.ts'
import type { VirtualPath } from '../path.ts'
import type { AreaStore } from '../store/area-store.ts'
import { isWithin, NOTHING, sum, type Amount } from './amount.ts'
import { MarkFolder, type CountReason, type OwnMark, type SeenMarks } from './mark-folder.ts'
import { reserve, uncountable } from './reserve.ts'

const MINUTE_MS = 60_000
/** Heals whatever other programs did to files or marks. */
const MAX_COUNT_AGE_MS = 24 * 3600 * 1000
/** Of a run's time; enough for some 100,000 files. */
const MAX_COUNT_MS = 5_000
/** Later than the window of any mark. */
const UNREADABLE_MS = 8 * MAX_COUNT_AGE_MS
/** Requests may arrive this long after their sender gave up. */
const LATE_MS = MINUTE_MS
/** For another's count. */
const AWAIT_MS = 10_000
const FIRST_POLL_MS = 100
const MAX_COUNTS = 3
/** Ten pages of a listing: an invocation of a Worker may have 50 requests. */
const SAVED_FILES = 10_000
/** A listing has pages of 1,000 entries, and must take a single request. */
const MAX_OVER = 200
const REMOVALS = { jobs: 6, bytes: 0 }

export interface StoredUsageOptions {
  /** Of what the tenant has used. */
  readonly store: AreaStore
  /** Prefixes of the tenant's files. */
  readonly areas: readonly string[]
  /** `Infinity` for what is not limited. */
  readonly allowed: Amount
  /** How long the writer may still be writing. */
  readonly leftMs: () => number
  readonly signal?: AbortSignal | undefined
}

/** Room that is taken until the next count. */
export interface Reserved extends OwnMark {
  /** Little is left: worth a request that tells when its writes are over. */
  readonly isTight: boolean
}

export class StoredUsage {
  readonly #options: StoredUsageOptions
  readonly #folder: MarkFolder

  constructor(options: StoredUsageOptions) {
    this.#options = options
    this.#folder = new MarkFolder(options.store, 'stored')
  }

  /**
   * Takes room for what is about to be written: `want`, or less than that if it does not fit.
   *
   * @throws {QuotaExceeded} if not even `need` fits.
   */
  async reserve(need: Amount, want: Amount): Promise<Reserved> {
    const { mark, seen } = await reserve(
      {
        folder: this.#folder,
        allowed: this.#options.allowed,
        windowMs: () => this.#windowMs,
        signal: this.#options.signal,
        isKnown,
        count: (known, reason) => this.#count(known, reason),
        refusal: (known, others) => this.#refusal(known, others, need),
      },
      need,
      want,
    )
    // The room is taken either way.
    await this.#tidy(seen).catch(() => undefined)
    // Below, even counting everything twice would refuse nothing.
    return { ...mark, isTight: !isWithin(sum(seen.total, seen.total), this.#options.allowed) }
  }

  /** Counts what will be written anyway. */
  announce(amount: Amount): Promise<OwnMark> {
    return this.#folder.put(amount, this.#windowMs)
  }

  /** Their writes are over: the next count sees the files, and no longer needs the marks. */
  async settle(marks: readonly Reserved[]): Promise<void> {
    for (const mark of marks) this.#folder.remember(mark)
    for (const mark of marks) if (mark.isTight) await this.#folder.settle(mark)
  }

  /** Counts first if nothing is known. */
  async used(): Promise<Amount> {
    for (let steps = 0; steps < MAX_COUNTS; steps++) {
      const seen = await this.#folder.read()
      if (isKnown(seen)) return seen.total
      await this.#count(seen, 'unknown')
    }
    throw uncountable()
  }

  get #windowMs(): number {
    return Math.max(0, this.#options.leftMs()) + LATE_MS
  }

  #refusal({ base }: SeenMarks, others: Amount, need: Amount): QuotaExceeded {
    const { allowed } = this.#options
    const kind = others.bytes + need.bytes > allowed.bytes ? 'bytes' : 'objects'
    const unit = kind === 'bytes' ? 'bytes' : 'files'
    // Of a run under way both its mark and its files count.
    const used = Math.max(base[kind], Math.min(others[kind], allowed[kind]))
    return new QuotaExceeded(
      `storage quota exceeded (${allowed[kind]} ${unit}): ${used} are used, and ${need[kind]} ` +
        'more are needed. Delete files, wait a minute and try again, or ask for a larger quota.',
    )
  }

  /**
   * Counts everything anew; only once a minute before a refusal, and one process at a time.
   *
   * @returns `false` if that would tell nothing new.
   */
  async #count(seen: SeenMarks, reason: CountReason): Promise<boolean> {
    const recent = seen.claims.filter(({ at }) => at > seen.now - MINUTE_MS)
    const isUnderWay = recent.some(({ isDone }) => !isDone)
    const isRepeated = !isUnderWay && recent.some((claim) => claim.reason === reason)
    if (isRepeated && reason === 'refusal') return false
    const claim =
      isUnderWay || isRepeated
        ? undefined
        : await this.#folder.claim(reason, Math.floor(seen.now / MINUTE_MS))
    if (!claim && !isRepeated) {
      if (await this.#awaitCount(seen)) return true
      // The counting process has died.
      if (reason === 'refusal') return false
    }
    try {
      const isCounted = await this.#countAll(seen, reason === 'refusal' ? MAX_COUNT_MS : Infinity)
      await claim?.done()
      return isCounted
    } catch (error) {
      await claim?.release().catch(() => undefined)
      throw error
    }
  }

  /** Resolves to `false` if it takes too long; the next one goes on then. */
  async #countAll(seen: SeenMarks, maxMs: number): Promise<boolean> {
    const begun = await this.#folder.progress(seen)
    const { startedAt, ...from } = begun ?? { startedAt: seen.now, key: '', amount: NOTHING }
    // Before anything is listed: what is over only later may be missing from the listing.
    const over = begun ? marksOverAt(seen, startedAt) : marksOver(seen)
    const endsAt = Date.now() + maxMs
    let total = from.amount
    for await (const { key, bytes } of this.#filesAfter(from.key)) {
      total = sum(total, { bytes, objects: 1 })
      const isLate = Date.now() > endsAt
      // Whatever cuts the listing off leaves no request for this.
      if (isLate || total.objects % SAVED_FILES === 0) {
        await this.#folder.putProgress({ startedAt, key, amount: total })
      }
      if (isLate) return false
    }
    await this.#replaceBase(seen, over, total, startedAt)
    return true
  }

  /** @param last The last key that was listed; empty for none. */
  async *#filesAfter(last: string): AsyncGenerator<ListedObject> {
    const { store, areas } = this.#options
    const first = areas.findIndex((prefix) => last.startsWith(prefix))
    for (const prefix of areas.slice(Math.max(0, first))) {
      const startAfter = last.startsWith(prefix) ? last : undefined
      for await (const entry of store.listKeys(prefix, { startAfter })) {
        if (entry.kind === 'object') yield entry.object
      }
    }
  }

  /** Adds marks up: a listing of them must stay short. Once a day counts, if that is quick. */
  async #tidy(seen: SeenMarks): Promise<void> {
    const over = marksOver(seen)
    const isOutdated = seen.countedAt < seen.now - MAX_COUNT_AGE_MS
    const isRecent = seen.claims.some(({ at }) => at > seen.now - MINUTE_MS)
    if ((over.length < MAX_OVER && !isOutdated) || isRecent) return
    const claim = await this.#folder.claim('clutter', Math.floor(seen.now / MINUTE_MS))
    if (!claim) return
    const isCounted = isOutdated && (await this.#countAll(seen, MAX_COUNT_MS))
    if (!isCounted && over.length >= MAX_OVER) {
      const total = sum(seen.base, ...over.map(({ amount }) => amount))
      await this.#replaceBase(seen, over, total, seen.countedAt)
    }
    await claim.done()
  }

  /** What is removed must be in the new base: only then does nothing count too little. */
  async #replaceBase(
    seen: SeenMarks,
    over: SeenMarks['marks'],
    total: Amount,
    countedAt: number,
  ): Promise<void> {
    await this.#folder.putBase(total, countedAt)
    if (seen.hasProgress || total.objects >= SAVED_FILES) {
      await this.#folder.removeProgress().catch(() => undefined)
    }
    const isOld = ({ at }: { readonly at: number }) => at < seen.now - 2 * MINUTE_MS
    const isAncient = ({ at }: { readonly at: number }) => at < seen.now - UNREADABLE_MS
    await this.#removeAll([
      ...over,
      ...seen.bases,
      ...seen.claims.filter(isOld),
      ...seen.unreadable.filter(isAncient),
    ])
  }

  /** What remains counts twice until the next count. */
  async #removeAll(objects: readonly { readonly path: VirtualPath }[]): Promise<void> {
    await inParallel(
      objects,
      REMOVALS,
      () => 0,
      ({ path }) => this.#folder.remove(path).catch(() => undefined),
    )
  }

  async #awaitCount(seen: SeenMarks): Promise<boolean> {
    const known = new Set(seen.bases.map(({ path }) => path))
    let waitedMs = 0
    for (let ms = FIRST_POLL_MS; waitedMs < AWAIT_MS; waitedMs += ms, ms *= 1.5) {
      await pause(ms, this.#options.signal)
      const { bases, claims } = await this.#folder.read()
      const isDone = claims.every((claim) => claim.isDone || claim.at < seen.now - MINUTE_MS)
      if (isDone && bases.some(({ path }) => !known.has(path))) return true
    }
    return false
  }
}

/** Those whose writes were over when they were listed. */
function marksOver({ marks, now }: SeenMarks): SeenMarks['marks'] {
  return marks.filter(({ isSettled, at, windowMs }) => isSettled || at + windowMs < now)
}

/** The same at an earlier time, as far as that can be told. */
function marksOverAt({ marks }: SeenMarks, time: number): SeenMarks['marks'] {
  return marks.filter(({ at, windowMs }) => at + windowMs < time)
}

/** Otherwise nobody has counted yet, or someone wrote since what cannot be read. */
function isKnown({ bases, unreadable, countedAt }: SeenMarks): boolean {
  return bases.length > 0 && unreadable.every(({ at }) => at <= countedAt)
}
