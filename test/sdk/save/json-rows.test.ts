/** Rows from streaming JSON: byte for byte, wherever chunks end; invalid JSON is refused. */
import { describe, expect, it } from 'vitest'
import { BadRows, JsonRows, rowsPath } from '../../../src/sdk/save/json-rows.ts'
import { Random } from '../../support/random.ts'

const encoder = new TextEncoder()

interface Taken {
  readonly rows: readonly string[]
  readonly rest: string
}

/** @param cut The length of the pieces. */
function take(text: string | Uint8Array, path = 'items', cut = Infinity): Taken {
  const rows: string[] = []
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const reader = new JsonRows(rowsPath(path), (row) => rows.push(decoder.decode(row)))
  const bytes = typeof text === 'string' ? encoder.encode(text) : text
  const length = Math.min(cut, bytes.length)
  // Copies, as fetch gives them: what came before is overwritten.
  for (let at = 0; at < bytes.length; at += length) {
    const piece = bytes.slice(at, at + length)
    reader.push(piece)
    piece.fill(0)
  }
  return { rows, rest: reader.end() }
}

function problem(text: string | Uint8Array, path?: string, cut?: number): string {
  try {
    take(text, path, cut)
    return 'none'
  } catch (error) {
    if (!(error instanceof BadRows)) throw error
    return error.message
  }
}

describe('rows', () => {
  it.each<[string, string, readonly string[], string]>([
    ['', '[1,2,3]', ['1', '2', '3'], '[]'],
    ['.', ' [ ] ', [], '[]'],
    [
      'items',
      '{"items":[{"a":1},{"a":2}],"next":"x"}',
      ['{"a":1}', '{"a":2}'],
      '{"items":[],"next":"x"}',
    ],
    ['items', '\uFEFF{"items":[null, true ,false]}', ['null', 'true', 'false'], '{"items":[]}'],
    ['items', '{"items":null}', [], '{"items":null}'],
    [
      'data.items',
      '{"data":{"more":[1],"items":[2]},"items":[3]}',
      ['2'],
      '{"data":{"more":[1],"items":[]},"items":[3]}',
    ],
    [
      'data.items',
      '{"items":[{"data":{"items":[1]}}],"data":{"x":{"items":[2]},"items":[[3]]}}',
      ['[3]'],
      '{"items":[{"data":{"items":[1]}}],"data":{"x":{"items":[2]},"items":[]}}',
    ],
    [
      'a.a',
      '{"b":{"a":[1]},"a":{"b":{"a":[2]},"a":[3]}}',
      ['3'],
      '{"b":{"a":[1]},"a":{"b":{"a":[2]},"a":[]}}',
    ],
    ['items', '{"it\\u0065ms":["\\u00e9"]}', ['"\\u00e9"'], '{"it\\u0065ms":[]}'],
    [
      'items',
      '{"items":[{"items":[1,[2]]},[ ],{ }]}',
      ['{"items":[1,[2]]}', '[]', '{}'],
      '{"items":[]}',
    ],
  ])('%j of %s', (path, text, rows, rest) => {
    for (const cut of [Infinity, 1, 2, 3, 7]) expect(take(text, path, cut)).toEqual({ rows, rest })
  })

  it('are as they were written, without the spaces between tokens', () => {
    const written = [
      '9223372036854775808',
      '-0',
      '0.10',
      '1E+2',
      '123456789012345678901234567890.5e-7',
      String.raw`"a \" , ] } \\ \/ \u0041 \ud800 \n"`,
      '" spaces  stay "',
      '"é 日本 🦜"',
      '{ "b" : [ 1 , 2 ] ,\n\t"a" : { } }',
    ]
    const rows = written.map((row) => (row.startsWith('{') ? '{"b":[1,2],"a":{}}' : row))
    const text = `{ "items" : [ ${written.join(' ,\r\n ')} ] }`
    for (let cut = 1; cut < 40; cut++) expect(take(text, 'items', cut).rows).toEqual(rows)
  })

  it('of random JSON are those of a parser, wherever it is cut', () => {
    const source = new Random(7)
    const random = (below: number) => source.below(below)
    for (let round = 0; round < 300; round++) {
      const items = Array.from({ length: random(6) }, () => randomValue(random, 3))
      const body = {
        before: randomValue(random, 2),
        data: { items },
        after: randomValue(random, 2),
      }
      const text = JSON.stringify(body, null, random(3))
      const { rows, rest } = take(text, 'data.items', 1 + random(40))
      expect(rows).toEqual(items.map((item) => JSON.stringify(item)))
      expect(JSON.parse(rest)).toEqual({ ...body, data: { items: [] } })
    }
  })
})

function randomValue(random: (below: number) => number, levels: number): unknown {
  switch (random(levels > 0 ? 7 : 5)) {
    case 0:
      return null
    case 1:
      return random(2) === 0
    case 2:
      return (random(2_000_000) - 1_000_000) / 1000
    case 3:
      return 'é"\\\n🦜 {[,:]} '.slice(0, random(12))
    case 4:
      return random(100)
    case 5:
      return Array.from({ length: random(4) }, () => randomValue(random, levels - 1))
    default:
      return Object.fromEntries(
        ['items', 'data', 'a b', '']
          .slice(0, random(5))
          .map((key) => [key, randomValue(random, levels - 1)]),
      )
  }
}

describe('refuses', () => {
  it.each<[string, string, string]>([
    ['nothing', '', 'the JSON ends early'],
    ['an array that is not closed', '{"items":[1,2', 'the JSON ends early'],
    ['a string that is not closed', '{"items":["a', 'the JSON ends early'],
    ['an object that is not closed', '{"items":[1]', 'the JSON ends early'],
    ['no array', '{"rows":[1]}', 'there is no array at "items"'],
    ['an array deeper than said', '{"data":{"items":[1]}}', 'there is no array at "items"'],
    ['a scalar', '17', 'there is no array at "items"'],
    ['an object', '{"items":{"a":1}}', '"items" is an object, not an array'],
    ['a string', '{"items":"[]"}', '"items" is a string, not an array'],
    ['a number', '{"items":7}', '"items" is a value, not an array'],
    ['two arrays', '{"items":[1],"items":[2]}', 'there are two arrays at "items"'],
    ['a page', '<html></html>', 'this is not JSON: byte 1 is unexpected'],
    ['text after the end', '{"items":[1]} x', 'this is not JSON: byte 15 is unexpected'],
    ['two values', '{"items":[1]}{"items":[1]}', 'this is not JSON: byte 14 is unexpected'],
    ['too many levels', `{"items":[${'['.repeat(300)}`, 'the JSON has more than 200 levels'],
  ])('%s', (_, text, message) => {
    for (const cut of [Infinity, 1, 3]) expect(problem(text, 'items', cut)).toBe(message)
  })

  it.each([
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '1e+',
    '-',
    '0x10',
    'NaN',
    'Infinity',
    'nul',
    'nulll',
    'True',
    "'a'",
    '"a\nb"',
    '"\\x"',
    '"\\u12g4"',
    '{"a"}',
    '{"a":}',
    '{a:1}',
    '{"a":1,}',
    '[1,]',
    '[,1]',
    '[1 2]',
    '{"a":1 "b":2}',
    '[1}',
    '{"a":1]',
    '1,',
    ',1',
    '"a" "b"',
    '/* */ 1',
    '\u00a01',
  ])('%s as an element', (element) => {
    for (const cut of [Infinity, 1, 2]) {
      expect(problem(`{"items":[${element}]}`, 'items', cut)).toMatch(
        /^this is not JSON: byte \d+ /,
      )
    }
  })

  it.each([[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]])(
    'bytes that are not UTF-8: %j',
    (...bytes) => {
      const text = (before: string, after: string) =>
        Uint8Array.from([...encoder.encode(before), ...bytes, ...encoder.encode(after)])
      expect(problem(text('{"items":["', '"]}'))).toBe('the JSON is not UTF-8')
      expect(problem(text('{"a":"', '","items":[]}'))).toBe('the JSON is not UTF-8')
    },
  )

  it('an element that is too large, and nothing smaller', () => {
    const largest = 1_048_576
    const element = (bytes: number) => `{"items":[1,"${'x'.repeat(bytes - 2)}"]}`
    for (const cut of [Infinity, 65_536]) {
      expect(take(element(largest), 'items', cut).rows[1]).toHaveLength(largest)
      expect(problem(element(largest + 1), 'items', cut)).toBe(
        'element 2 is larger than 1048576 bytes',
      )
    }
  })

  it('too much beside the array', () => {
    const text = `{"other":"${'x'.repeat(1_100_000)}","items":[]}`
    expect(problem(text, 'items', 4096)).toBe('there are more than 1048576 bytes outside the array')
  })
})
