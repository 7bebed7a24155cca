/** Names as segments of keys: readable where they can be, and never one for two. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keySegment } from '../../src/files/store/area.ts'

const SEGMENT = /^[A-Za-z0-9_-]{1,64}$/

/** Any text, and texts so alike that a careless mapping would make one of two. */
const names = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: fc.constantFrom('a', 'A', '-', '_', '.', '/', ' ', '\0'), maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('x', '-', 'é'), minLength: 60, maxLength: 70 }),
  fc.constantFrom(
    'é',
    'e\u0301',
    '\u0130',
    'a',
    '\u0430',
    '\uff41',
    '\ufeffa',
    'a\u200b',
    '\ufffd',
  ),
)

describe('keySegment', () => {
  it.each(['alice', 'Alice', 'a_b', 'a-b', '-', '-a', 'a-', '_', '0', 'share', 'x'.repeat(64)])(
    'keeps %j',
    async (name) => {
      expect(await keySegment(name)).toBe(name)
    },
  )

  it.each([
    ['a.b', 'a_b--fzztnxeoxkd66rzn6vumgvecvp'],
    ['a/b', 'a_b--yfgn3qbt6zfz32ua5jtvz4uaua'],
    ['a\0b', 'a_b--lgzhdlq3xsy5ghkbskmbp5frn6'],
    ['a--b', 'a_b--scbhulswgyni7v3sbdmlgkyx3y'],
    [
      'a_b--aaaaaaaaaaaaaaaaaaaaaaaaaa',
      'a_b_aaaaaaaaaaaaaaaaaaaaaaaaaa--dkdnrzivy3t6b7gwtyfwaxl6jt',
    ],
    ['..', '_--l3a7pzya6n6d2czjqhieqvp4gs'],
    ['', '--4oymiquy7qobjgx36tejs35zeq'],
    ['\u00e9', '_--jkmvk7sagpbvhhpc5nsuoiaxzl'],
    ['e\u0301', 'e_--x4jhm6ypfjllegiaow5oqfu7mv'],
    ['x'.repeat(65), `${'x'.repeat(36)}--su34l7prebec67ky2jpj5vmd6u`],
  ])('makes %j into %s', async (name, segment) => {
    expect(await keySegment(name)).toBe(segment)
  })

  it('gives no two names one segment, also to names that are segments of others', async () => {
    const different = fc.uniqueArray(names, { minLength: 2, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(different, async (some) => {
        const segments = await Promise.all(some.map(keySegment))
        const impostors = segments.filter((segment) => !some.includes(segment))
        const all = [...segments, ...(await Promise.all(impostors.map(keySegment)))]
        for (const segment of all) expect(segment).toMatch(SEGMENT)
        expect(new Set(all).size).toBe(new Set([...some, ...impostors]).size)
      }),
      { numRuns: 300 },
    )
  })
})
