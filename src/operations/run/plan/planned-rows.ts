/** Describes what a plan would write: digests, and diffs of small texts. */
import type { RequestBudget } from '../../../files/request-budget.ts'
import type { TouchedFile } from '../../../files/run/files-touched.ts'
import type { VirtualFiles } from '../../../files/run/virtual-files.ts'
import type { Area } from '../../../files/store/area.ts'
import { Sha256 } from '../../../lib/sha256.ts'
import { STORING_GRACE_MS } from '../../../limits.ts'
import type { StorageDriver } from '../../../storage/driver.ts'
import { byteLengthOf, copyOf } from '../../../storage/object-body.ts'
import type { PlannedObjects } from '../../../storage/planned/planned-objects.ts'
import type { FileAccess } from '../../../vm/library/library-host.ts'
import { rowWithoutLinks, type PlannedRow } from '../run-answer.ts'
import { unifiedDiff } from './unified-diff.ts'

/** Of a file before and after. */
const MAX_TEXT_BYTES = 65_536
/** Longer diffs are left out: a part of one cannot be applied. */
const MAX_DIFF_LENGTH = 16_384
/** Of all diffs together. */
const MAX_DIFFS_LENGTH = 131_072
/** Each takes a request to the store. */
const MAX_DIFFS = 50
/** Larger files that a plan would only move are not read for their digest. */
const MAX_HASHED_BYTES = 16 * 1024 * 1024

interface PlannedRowsOptions {
  /** As it is. */
  readonly stored: StorageDriver
  readonly planned: PlannedObjects
  readonly area: Area
  readonly access: FileAccess
  readonly requests: RequestBudget
  readonly files: VirtualFiles
}

export class PlannedRows {
  readonly #options: PlannedRowsOptions
  readonly #signal = AbortSignal.timeout(STORING_GRACE_MS)
  #diffs = 0
  #diffsLength = 0

  constructor(options: PlannedRowsOptions) {
    this.#options = options
  }

  /** Never rejects: what cannot be read is left out. */
  async of(rows: readonly TouchedFile[]): Promise<PlannedRow[]> {
    const described: PlannedRow[] = []
    // One after the other: all count against the same limits.
    for (const row of rows) {
      const sha256 = await this.#sha256Of(row).catch(() => undefined)
      const diff = await this.#diffOf(row).catch(() => undefined)
      described.push({
        ...rowWithoutLinks(row),
        ...(sha256 !== undefined && { sha256 }),
        ...(diff !== undefined && { diff }),
      })
    }
    return described
  }

  /** A digest tells about content: without `files:read`, only about the run's own. */
  async #sha256Of({ name, op, stored, bytes }: TouchedFile): Promise<string | undefined> {
    const { planned, area, access, files } = this.#options
    if (op === 'remove' || stored === false) return undefined
    if (!access.canRead && files.ownWriteId(name) === undefined) return undefined
    const key = area.keyFor(name)
    const object = planned.get(key)
    if (object?.sha256 !== undefined) return object.sha256
    return bytes > MAX_HASHED_BYTES ? undefined : this.#storedSha256(object?.source ?? key)
  }

  async #storedSha256(key: string): Promise<string | undefined> {
    const object = await this.#read(key, MAX_HASHED_BYTES)
    return object ? new Sha256().update(object).hex() : undefined
  }

  async #diffOf({ name, op, stored, bytes }: TouchedFile): Promise<string | undefined> {
    const { planned, area, access } = this.#options
    if (!access.canRead || stored === false || bytes > MAX_TEXT_BYTES) return undefined
    if (this.#diffs >= MAX_DIFFS) return undefined
    const key = area.keyFor(name)
    const object = planned.get(key)
    if (object === undefined) return undefined
    const after = op === 'remove' ? null : await this.#plannedText(object)
    if (after === undefined) return undefined
    this.#diffs++
    const bytesBefore = await this.#read(key, MAX_TEXT_BYTES)
    const before = bytesBefore && textOf(bytesBefore)
    if (before === undefined) return undefined
    const diff = unifiedDiff(name, before, after)
    if (diff === undefined || diff.length > MAX_DIFF_LENGTH) return undefined
    const length = this.#diffsLength + diff.length
    if (length > MAX_DIFFS_LENGTH) return undefined
    this.#diffsLength = length
    return diff
  }

  async #plannedText(object: ReturnType<PlannedObjects['get']>): Promise<string | undefined> {
    if (!object) return undefined
    const { source, body } = object
    if (body) return byteLengthOf(body) > MAX_TEXT_BYTES ? undefined : textOf(copyOf(body))
    const read = source === undefined ? undefined : await this.#read(source, MAX_TEXT_BYTES)
    return read ? textOf(read) : undefined
  }

  /** `null` if there is no such object, `undefined` if it is too large or must not be asked for. */
  async #read(key: string, maxBytes: number): Promise<Uint8Array | null | undefined> {
    const { stored, requests } = this.#options
    if (!requests.has(1)) return undefined
    requests.count(1)
    const range = { offset: 0, length: maxBytes }
    const object = await stored.get(key, { range, signal: this.#signal })
    if (!object) return null
    return object.bytes > maxBytes ? undefined : object.body
  }
}

/** `undefined` for bytes that are no text. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
