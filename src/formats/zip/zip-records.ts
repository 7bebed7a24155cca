/** The records of a ZIP archive: signatures, the fields that are used, and their layout. */

export const SIGNATURE = {
  localHeader: 0x04034b50,
  descriptor: 0x08074b50,
  entry: 0x02014b50,
  end64: 0x06064b50,
  end64Locator: 0x07064b50,
  end: 0x06054b50,
} as const

/** Lengths without names, extra fields and comments. */
export const LENGTH = {
  localHeader: 30,
  entry: 46,
  end64: 56,
  end64Locator: 20,
  end: 22,
} as const

export const METHOD = { stored: 0, deflated: 8 } as const
export const FLAG = { encrypted: 1, descriptor: 8, utf8: 0x800 } as const
/** The extra field with sizes and offsets of 64 bits. */
export const ZIP64_FIELD = 1
/** In place of a value that is in the ZIP64 field. */
export const MAX_32 = 0xffffffff
export const MAX_16 = 0xffff

/** Writes numbers one after the other, little-endian. */
export class RecordWriter {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly #view: DataView
  #at = 0

  constructor(length: number) {
    this.bytes = new Uint8Array(length)
    this.#view = new DataView(this.bytes.buffer)
  }

  u16(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setUint16(this.#at, value, true)
      this.#at += 2
    }
    return this
  }

  u32(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setUint32(this.#at, value, true)
      this.#at += 4
    }
    return this
  }

  u64(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setBigUint64(this.#at, BigInt(value), true)
      this.#at += 8
    }
    return this
  }

  raw(bytes: Uint8Array): this {
    this.bytes.set(bytes, this.#at)
    this.#at += bytes.length
    return this
  }
}

/** MS-DOS date and time, in UTC: two seconds each, from 1980. */
export function dosTime(date: Date): { readonly date: number; readonly time: number } {
  const year = Math.min(Math.max(date.getUTCFullYear(), 1980), 2107)
  return {
    date: ((year - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
    time: (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
  }
}

/** As `2026-11-17T22:30:10`: the time zone is not known. */
export function textOfDosTime(date: number, time: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [1980 + (date >> 9), two((date >> 5) & 15), two(date & 31)].join('-')
  return `${day}T${[two(time >> 11), two((time >> 5) & 63), two(2 * (time & 31))].join(':')}`
}
