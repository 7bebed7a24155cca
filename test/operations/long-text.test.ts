/** Long content of files is answered piece by piece, as if it were written in one. */
import { describe, expect, it } from 'vitest'
import { ENCODINGS } from '../../src/settings.ts'
import { jsonBytesOf, textOf } from '../../src/operations/files/file-encoding.ts'
import { LongText } from '../../src/operations/files/long-text.ts'

const encoder = new TextEncoder()
const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'))

/** Shifted by up to four bytes, so that pieces end anywhere in a character. */
const SHIFTS = [0, 1, 2, 3]
const TEXT = 'a"\\\n\u0001é€😀\u2028'.repeat(20_000)

describe('long text', () => {
  it.each(ENCODINGS.flatMap((encoding) => SHIFTS.map((shift) => [encoding, shift] as const)))(
    'in %s is the JSON of the whole, shifted by %i',
    (encoding, shift) => {
      const text = 'x'.repeat(shift) + TEXT
      const bytes = encoding === 'utf-16le' ? utf16(text) : encoder.encode(text)
      const content = new LongText(bytes, encoding)
      const whole = textOf(bytes, encoding)
      const json = `"${[...content.jsonPieces()].join('')}"`
      expect(json === JSON.stringify(whole)).toBe(true)
      expect(JSON.stringify(content) === json).toBe(true)
      expect(content.jsonBytes()).toBe(jsonBytesOf(whole) - 2)
    },
  )

  it('keeps halves of surrogate pairs', () => {
    const text = 'x\ud800'.repeat(50_000)
    const content = new LongText(utf16(text), 'utf-16le')
    expect(`"${[...content.jsonPieces()].join('')}"` === JSON.stringify(text)).toBe(true)
  })

  it.each([
    ['utf-8', new Uint8Array(100_000).fill(0x80), 'not UTF-8 text'],
    ['utf-8', encoder.encode('€'.repeat(50_000)).subarray(0, -1), 'not UTF-8 text'],
    ['utf-16le', new Uint8Array(100_001), 'not UTF-16 text'],
  ] as const)('that is no %s is refused: %#', (encoding, bytes, message) => {
    expect(() => new LongText(bytes, encoding).jsonBytes()).toThrow(message)
  })
})
