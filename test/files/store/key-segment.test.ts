/** Names as key segments. The fuzz target `keys` proves that no two names share one. */
import { describe, expect, it } from 'vitest'
import { keySegment } from '../../../src/files/store/area.ts'

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
})
