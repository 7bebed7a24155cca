/**
 * Documents made to hurt: none breaks a run or passes its limits, and each error says what is
 * wrong.
 */
import { strToU8 } from 'fflate'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import {
  makeDocx,
  makeEpub,
  makePdf,
  makePptx,
  makeXlsx,
  zipOf,
} from '../support/make-documents.ts'
import { Random } from '../support/random.ts'
import { everyNth } from '../support/tier.ts'
import { readHostile as read, type Reader } from './read-documents.ts'

const word = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
const table = `<w:tbl><w:tr><w:tc>${word('a')}</w:tc></w:tr></w:tbl>`

/** A sound one of each kind. */
const SOUND: readonly (readonly [string, Reader, Uint8Array])[] = [
  ['docx', 'document', makeDocx(word('Some words') + table)],
  [
    'pptx',
    'document',
    makePptx(['<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>']),
  ],
  ['epub', 'document', makeEpub(['<h1>One</h1><p>Text</p>'])],
  ['pdf', 'document', makePdf([[{ text: 'Some words' }], [{ text: 'More', size: 20 }]])],
  ['html', 'document', strToU8('<html><body><h1>One</h1><table><tr><td>1</table><ul><li>x')],
  [
    'xlsx',
    'xlsx',
    makeXlsx({
      strings: ['<t>pear</t>'],
      formats: ['yyyy-mm-dd'],
      sheets: {
        S: '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><v>46343</v></c></row>',
      },
    }),
  ],
  [
    'parquet',
    'parquet',
    new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'id', data: Array.from({ length: 300 }, (_, i) => i % 9), type: 'INT32' },
          { name: 'long', data: Array.from({ length: 300 }, (_, i) => BigInt(i)), type: 'INT64' },
          {
            name: 'name',
            data: Array.from({ length: 300 }, (_, i) => (i % 3 ? `n${i % 20}` : null)),
            type: 'STRING',
          },
          {
            name: 'yes',
            data: Array.from({ length: 300 }, (_, i) => i % 2 === 0),
            type: 'BOOLEAN',
          },
        ],
        codec: 'UNCOMPRESSED',
      }),
    ),
  ],
]

/** Bytes changed, cut out, repeated or cut off. */
function damaged(file: Uint8Array, random: Random): Uint8Array {
  let bytes = [...file]
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const at = random.below(bytes.length)
    const length = 1 + random.below(12)
    const kind = random.below(5)
    if (kind === 0) bytes[at] = random.below(256)
    else if (kind === 1) bytes[at] = bytes[at]! ^ (1 << random.below(8))
    else if (kind === 2) bytes.splice(at, length)
    else if (kind === 3) bytes.splice(at, 0, ...bytes.slice(at, at + length))
    else if (random.chance(20)) bytes = bytes.slice(0, Math.max(1, at))
    else bytes.fill(random.pick([0, 0xff, 0x80]), at, at + length)
  }
  return new Uint8Array(bytes)
}

const SERIES = Array.from({ length: 210 }, (_, i) => {
  const [kind, reader, file] = SOUND[i % SOUND.length]!
  return { seed: i, kind, reader, file }
})

describe('a damaged document', () => {
  it.each(everyNth(6, SERIES))('is read or refused: $kind, seed $seed', async (row) => {
    const file = damaged(row.file, new Random(row.seed * 7919 + 17))
    const { error, result } = await read(row.reader, file)
    if (!error) return expect(result).toBeTypeOf('number')
    // What is wrong, and where: a place in the script, the file, then the problem.
    expect(['runtime', 'memory']).toContain(error.kind)
    expect(error.message).toMatch(/^script:\d+: in\b.{8,}/s)
  })

  it.each(SOUND)('would be read if it were sound: %s', async (_, reader, file) => {
    expect((await read(reader, file)).error).toBeUndefined()
  })
})

const deep = (open: string, close: string, n: number) => open.repeat(n) + close.repeat(n)

describe('a document made to hurt', () => {
  it.each<readonly [string, Reader, Uint8Array, RegExp | undefined]>([
    [
      'entities that expand',
      'document',
      makeDocx(`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${word('&b;')}`),
      undefined,
    ],
    ['XML that never closes', 'document', makeDocx(deep('<w:p>', '', 50_000)), undefined],
    [
      'tables in tables',
      'document',
      makeDocx(deep('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>', 20_000)),
      undefined,
    ],
    [
      'HTML lists in lists',
      'document',
      strToU8(`<html>${deep('<ul><li>x', '', 30_000)}`),
      undefined,
    ],
    [
      'HTML quotes in quotes',
      'document',
      strToU8(`<html>${deep('<blockquote>x', '', 30_000)}`),
      undefined,
    ],
    [
      'HTML with links that never close',
      'document',
      strToU8(`<html>${deep('<a href=https://x.example/>x', '', 50_000)}`),
      undefined,
    ],
    ['HTML of one tag', 'document', strToU8(`<html ${'a="b" '.repeat(300_000)}`), undefined],
    [
      'an attribute that never ends',
      'xlsx',
      makeXlsx({ sheets: { S: `<row r="${'9'.repeat(3_000_000)}` } }),
      /does not end/,
    ],
    [
      'a PDF that is its own page',
      'document',
      strToU8(
        '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[2 0 R]/Count 9>>endobj trailer<</Root 1 0 R>>',
      ),
      /has no text/,
    ],
  ])('%s', async (_, reader, file, message) => {
    const { error } = await read(reader, file)
    if (message === undefined) expect(error).toBeUndefined()
    else expect(error?.message).toMatch(message)
  })

  it('cannot reach outside of itself', async () => {
    const link = (target: string) =>
      `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="${target}"/></Relationships>`
    const file = zipOf({ '_rels/.rels': link('../../secret.xml'), 'word/x.xml': '<x/>' })
    const { error } = await read('document', file)
    expect(error?.message).toMatch(/in: has no text part \(secret\.xml\)$/)
  })
})

describe('a Parquet file that lies about its counts', () => {
  const base = SOUND.at(-1)![2]
  const PATTERNS = Array.from({ length: 60 }, (_, i) => i)

  it.each(everyNth(5, PATTERNS))('is refused or read: byte pattern %i', async (i) => {
    // Long numbers where counts are: in page headers and in runs.
    const file = base.slice()
    const at = 4 + ((i * 37) % (file.length - 400))
    file.set([0xff, 0xff, 0xff, 0xff, 0x0f], at)
    const { error, result } = await read('parquet', file)
    if (error) expect(error.message).toMatch(/^script:\d+: in\b.{8,}/s)
    else expect(result).toBeTypeOf('number')
  })
})
