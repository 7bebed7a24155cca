/** The order of keys against the bytes themselves. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareUtf8 } from '../../src/storage/key-order.ts'

function compareBytes(a: string, b: string): number {
  const [x, y] = [new TextEncoder().encode(a), new TextEncoder().encode(b)]
  const at = x.findIndex((byte, i) => byte !== y[i])
  return at === -1 ? x.length - y.length : x[at]! - (y[at] ?? -1)
}

it('compareUtf8 orders any two texts as their UTF-8 bytes', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '/', 'é', '\ue000', '\uffff', '😀', '𐀀'),
  })
  const check = fc.property(text, text, (a, b) => {
    expect(Math.sign(compareUtf8(a, b))).toBe(Math.sign(compareBytes(a, b)))
  })
  fc.assert(check, { numRuns: 2000 })
})
