/** Texts found with vector instructions, beside a search byte by byte. */
import { expect, it } from 'vitest'
import { TextScanner } from '../../src/operations/files/search/text-scanner.ts'
import { loadLua } from '#lua-wasm'
import { Random } from '../support/random.ts'

const lua = await loadLua()
const utf8 = new TextEncoder()

/** All places, also where they overlap. */
function placesOf(scanner: TextScanner): number[] {
  const places: number[] = []
  for (let at = scanner.find(0); at !== -1; at = scanner.find(at + 1)) places.push(at)
  return places
}

function placesByHand(bytes: Uint8Array, text: Uint8Array): number[] {
  const last = Math.max(-1, bytes.length - text.length)
  return Array.from({ length: last + 1 }, (_, at) => at).filter((at) =>
    text.every((byte, i) => bytes[at + i] === byte),
  )
}

it('finds what a search by hand finds, in blocks of all lengths', () => {
  const random = new Random(7)
  for (let round = 0; round < 300; round++) {
    const letters = random.pick(['ab', 'ab\n', 'the rain €'])
    const some = (length: number) =>
      utf8.encode(Array.from({ length }, () => random.pick([...letters])).join(''))
    const text = some(2 + random.below(round % 10 === 0 ? 40 : 3))
    const scanner = new TextScanner(lua, text)
    // Shorter ones follow longer ones, whose end is still in memory.
    for (let i = 0; i < 4; i++) {
      const bytes = some(random.below(200))
      scanner.load(bytes)
      expect(placesOf(scanner)).toEqual(placesByHand(bytes, text))
    }
  }
})

it('finds a text at the very end of a block that fills whole pages', () => {
  const text = utf8.encode('needle')
  const bytes = new Uint8Array(3 * 65_536).fill(0x65)
  bytes.set(text, bytes.length - text.length)
  const scanner = new TextScanner(lua, text)
  scanner.load(bytes)
  expect(placesOf(scanner)).toEqual([bytes.length - text.length])
})

it('finds the beginning of a text that is longer than it looks at', () => {
  const text = utf8.encode('ab'.repeat(500))
  const scanner = new TextScanner(lua, text)
  scanner.load(utf8.encode(`--${'ab'.repeat(500)}--`))
  expect(scanner.find(0)).toBe(2)
  scanner.load(utf8.encode('ab'.repeat(10)))
  expect(scanner.find(0)).toBe(-1)
})

it.each([0, 1, 15, 16, 17, 4_080, 4_081, 10_000])('counts lines in %i bytes', (length) => {
  const random = new Random(length)
  const text = Array.from({ length }, () => random.pick(['\n', 'a', '\n'])).join('')
  const scanner = new TextScanner(lua, utf8.encode('ab'))
  scanner.load(utf8.encode(`${text}x`))
  expect(scanner.countLines(0, length + 1)).toBe(text.split('\n').length)
})
