/**
 * What a link to a folder has taken. Each upload puts a mark with its length before it begins, and
 * settles it when the whole body has arrived, before the file is stored: all marks together are
 * never more than the link allows. The mark of an upload that died without settling counts until
 * its time is over. Presigned uploads never settle: afterwards their files are looked for.
 */
import { AppError, RetryLater } from '../../errors.ts'
import type { AreaStore } from '../../files/store/area-store.ts'
import { parsePath, type VirtualPath } from '../../files/path.ts'
import { isWithin, sum, type Amount } from '../../files/usage/amount.ts'
import { MarkFolder, type OwnMark, type SeenMarks } from '../../files/usage/mark-folder.ts'
import { reserve } from '../../files/usage/reserve.ts'
import { PreconditionFailed } from '../../storage/driver.ts'
import { UPLOAD_MS } from './open-link.ts'

/** Requests may arrive this long after their sender gave up. */
const LATE_MS = 60_000
const RETRY_S = 5

interface LinkTotalsOptions {
  /** Of used links. */
  readonly store: AreaStore
  /** Of the link. */
  readonly name: string
  readonly maxBytes: number
  readonly maxFiles: number
  readonly signal: AbortSignal
  /** Whether the store has taken a presigned upload. */
  readonly isStored: (path: VirtualPath, writeId: string) => Promise<boolean>
}

/** Where an upload is, or will be. */
interface Receipt {
  readonly path: VirtualPath
  /** Of a presigned upload. */
  readonly writeId?: string | undefined
}

export class LinkTotals {
  readonly #options: LinkTotalsOptions
  readonly #folder: MarkFolder

  constructor(options: LinkTotalsOptions) {
    this.#options = options
    this.#folder = new MarkFolder(options.store, options.name)
  }

  /** @throws {AppError} `too_large`, `conflict` for too many files, or `busy`. */
  async take(bytes: number, uploadMs = UPLOAD_MS): Promise<OwnMark> {
    const { signal } = this.#options
    const need = { bytes, objects: 1 }
    if (bytes > this.#options.maxBytes) throw this.#tooLarge()
    const { mark } = await reserve(
      {
        folder: this.#folder,
        allowed: this.#allowed,
        windowMs: () => uploadMs + LATE_MS,
        signal,
        count: (seen) => this.#endAllBroken(seen),
        refusal: (seen) => this.#refusal(seen, need),
      },
      need,
      need,
    )
    return mark
  }

  /** Counts for good. @throws {AppError} `conflict` if its time was over. */
  async settle(mark: OwnMark): Promise<void> {
    try {
      await this.#folder.settle(mark)
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
      throw new RetryLater('conflict', 'The upload took too long. Send the file again.', RETRY_S)
    }
  }

  /** Whether the store has taken a presigned upload. */
  isStored(path: VirtualPath, writeId: string): Promise<boolean> {
    return this.#options.isStored(path, writeId)
  }

  /** Only if nothing was stored. */
  withdraw({ path }: OwnMark): Promise<void> {
    return this.#folder.remove(path)
  }

  /** Remembers where the file of a mark will be, under the mark's own id. */
  async promise(mark: OwnMark, path: VirtualPath): Promise<Receipt> {
    const writeId = idOf(mark.path)
    await this.#options.store.put(this.#path('promised', writeId), encode({ path }))
    return { path, writeId }
  }

  /** Of an earlier try of the same upload. @param upload Hex. */
  async receiptOf(upload: string): Promise<(Receipt & { readonly at: Date }) | undefined> {
    const object = await this.#options.store.get(this.#path('receipts', upload))
    return object ? { ...decode(object.body), at: object.modifiedAt } : undefined
  }

  /** @throws {AppError} `conflict` if another try of the same upload is ahead. */
  async giveReceipt(upload: string, receipt: Receipt): Promise<void> {
    try {
      const path = this.#path('receipts', upload)
      await this.#options.store.put(path, encode(receipt), { ifNoneMatch: '*' })
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
      throw new RetryLater('conflict', 'Another attempt at this upload is in progress.', RETRY_S)
    }
  }

  takeBackReceipt(upload: string): Promise<void> {
    return this.#options.store.remove(this.#path('receipts', upload))
  }

  get #allowed(): Amount {
    return { bytes: this.#options.maxBytes, objects: this.#options.maxFiles }
  }

  /** In folders of their own: marks are listed without them. */
  #path(folder: 'promised' | 'receipts', id: string): VirtualPath {
    return parsePath(`${this.#options.name}/${folder}/${id}`)
  }

  /** Of uploads that neither settled nor withdrew in their time. `false` if there are none. */
  async #endAllBroken({ marks, now }: SeenMarks): Promise<boolean> {
    const broken = marks.filter(({ isSettled, at, windowMs }) => !isSettled && at + windowMs < now)
    await Promise.all(broken.map(({ path }) => this.#endBroken(path)))
    return broken.length > 0
  }

  async #endBroken(mark: VirtualPath): Promise<void> {
    const { store, isStored } = this.#options
    const id = idOf(mark)
    const promised = await store.get(this.#path('promised', id))
    const isThere = promised && (await isStored(decode(promised.body).path, id))
    if (isThere) await this.#folder.settleOther(mark)
    else await this.#folder.removeUnsettled(mark)
  }

  #refusal({ marks }: SeenMarks, need: Amount): AppError {
    const stored = sum(...marks.filter(({ isSettled }) => isSettled).map(({ amount }) => amount))
    if (isWithin(sum(stored, need), this.#allowed)) {
      const message =
        'Other uploads through this link are in progress, and may use all that is left. Try again shortly.'
      return new RetryLater('busy', message, RETRY_S)
    }
    const { maxFiles } = this.#options
    if (stored.objects < maxFiles) return this.#tooLarge()
    const files = maxFiles === 1 ? 'the one file' : `all ${maxFiles} files`
    return new AppError('conflict', `This link has received ${files} that it accepts.`)
  }

  #tooLarge(): AppError {
    const message = `This link accepts ${this.#options.maxBytes} bytes in all. This file is too large for what is left of them.`
    return new AppError('too_large', message)
  }
}

/** The random part of a mark's name. */
function idOf(mark: VirtualPath): string {
  return /mark-([0-9a-f]+)/.exec(mark)![1]!
}

function encode(receipt: Receipt): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(receipt))
}

function decode(body: Uint8Array): Receipt {
  return JSON.parse(new TextDecoder().decode(body)) as Receipt
}
