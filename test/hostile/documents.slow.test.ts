/**
 * Documents that unpack to far more than they have: each ends at a limit, or is read piece by
 * piece.
 */
import { expect, it } from 'vitest'
import { makeDocx, makeEpub, makeXlsx } from '../support/make-documents.ts'
import { readHostile, type Reader } from './read-documents.ts'

const sheet = (rows: string) => makeXlsx({ sheets: { S: rows } })

function endlessEpub(): Uint8Array {
  const spine = '<itemref idref="c0"/>'.repeat(60_000)
  return makeEpub([`<p>${'words '.repeat(1000)}</p>`], {
    'OEBPS/book.opf': `<package><manifest><item id="c0" href="text/chapter%200.xhtml"/></manifest><spine>${spine}</spine></package>`,
  })
}

it.each<readonly [string, Reader, () => Uint8Array, RegExp | undefined]>([
  [
    'a DOCX bomb',
    'document',
    () => makeDocx(`<w:p><w:r><w:t>${'x'.repeat(80_000_000)}</w:t></w:r></w:p>`),
    /more text than/,
  ],
  [
    'a bomb of texts in an XLSX file',
    'xlsx',
    () => makeXlsx({ sheets: { S: '' }, strings: [`<t>${'x'.repeat(40_000_000)}</t>`] }),
    /too much text/,
  ],
  ['one chapter again and again', 'document', endlessEpub, /more text than/],
  [
    'a million rows',
    'xlsx',
    () => sheet('<row><c><v>1</v></c></row>'.repeat(1_000_000)),
    undefined,
  ],
  [
    'rows of the last column',
    'xlsx',
    () => sheet('<row><c r="XFD1"><v>1</v></c></row>'.repeat(20_000)),
    /fuel/,
  ],
])('%s', async (_, reader, make, message) => {
  const { error } = await readHostile(reader, make())
  if (message === undefined) expect(error).toBeUndefined()
  else expect(error?.message).toMatch(message)
})
