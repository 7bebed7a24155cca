/** Small documents of every format, made by hand: what tests need is visible in them. */
import { strToU8, zipSync } from 'fflate'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** An archive with these texts. */
export function zipOf(parts: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const entries = Object.entries(parts).map(
    ([name, part]) => [name, typeof part === 'string' ? strToU8(part) : part] as const,
  )
  return zipSync(Object.fromEntries(entries), { mtime: new Date(1980, 0, 1) })
}

function relationships(links: readonly (readonly [string, string, string])[]): string {
  const each = links.map(
    ([id, kind, target]) =>
      `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${kind}" Target="${target}"/>`,
  )
  return `${DECLARATION}<Relationships>${each.join('')}</Relationships>`
}

interface XlsxParts {
  /** By sheet: the XML of its rows. */
  readonly sheets: Readonly<Record<string, string>>
  readonly strings?: readonly string[]
  /** Format codes; style i + 1 has the code i. */
  readonly formats?: readonly string[]
  readonly is1904?: boolean
  readonly extra?: Readonly<Record<string, string>>
}

/** As Excel writes it: texts and styles in parts of their own. */
export function makeXlsx({ sheets, strings = [], formats = [], is1904, extra }: XlsxParts) {
  const names = Object.keys(sheets)
  const codes = formats.map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${code}"/>`)
  const styles = formats.map((_, i) => `<xf numFmtId="${164 + i}"/>`)
  return zipOf({
    '_rels/.rels': relationships([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${DECLARATION}<workbook><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>${names
      .map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="s${i}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...names.map((_, i) => [`s${i}`, 'worksheet', `worksheets/sheet${i}.xml`] as const),
      ['t', 'sharedStrings', 'sharedStrings.xml'],
      ['f', 'styles', 'styles.xml'],
    ]),
    'xl/sharedStrings.xml': `${DECLARATION}<sst>${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      names.map((name, i) => [
        `xl/worksheets/sheet${i}.xml`,
        `${DECLARATION}<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
    ...extra,
  })
}

/** @param body The XML of its paragraphs and tables. */
export function makeDocx(body: string, extra: Readonly<Record<string, string>> = {}): Uint8Array {
  return zipOf({
    '_rels/.rels': relationships([['rId1', 'officeDocument', 'word/document.xml']]),
    'word/document.xml': `${DECLARATION}<w:document><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relationships([
      ['s', 'styles', 'styles.xml'],
      ['n', 'numbering', 'numbering.xml'],
      ['f', 'footnotes', 'footnotes.xml'],
    ]),
    'word/styles.xml': `<w:styles><w:style w:styleId="T1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="T2"><w:basedOn w:val="T1"/><w:name w:val="heading 2"/></w:style></w:styles>`,
    'word/numbering.xml': `<w:numbering><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>`,
    ...extra,
  })
}

/** @param slides The XML of their shapes. */
export function makePptx(slides: readonly string[]): Uint8Array {
  return zipOf({
    '_rels/.rels': relationships([['rId1', 'officeDocument', 'ppt/presentation.xml']]),
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="r${i}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationships(
      slides.map((_, i) => [`r${i}`, 'slide', `slides/slide${i}.xml`] as const),
    ),
    ...Object.fromEntries(
      slides.map((shapes, i) => [
        `ppt/slides/slide${i}.xml`,
        `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      ]),
    ),
  })
}

/** @param chapters Bodies of XHTML. */
export function makeEpub(
  chapters: readonly string[],
  extra: Readonly<Record<string, string>> = {},
) {
  const items = chapters.map((_, i) => `<item id="c${i}" href="text/chapter%20${i}.xhtml"/>`)
  const spine = chapters.map((_, i) => `<itemref idref="c${i}"/>`)
  return zipOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    'OEBPS/book.opf': `<package><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((body, i) => [
        `OEBPS/text/chapter ${i}.xhtml`,
        `<html><head><title>x</title></head><body>${body}</body></html>`,
      ]),
    ),
    ...extra,
  })
}

interface PdfText {
  readonly text: string
  readonly size?: number
  /** From the left, in points. */
  readonly x?: number
  /** From the top; by default below the text before. */
  readonly line?: number
}

/** @param pages Their text, from the top. @param catalog More entries of its root. */
export function makePdf(pages: readonly (readonly PdfText[])[], catalog = ''): Uint8Array {
  const first = 4
  const kids = pages.map((_, i) => `${first + 2 * i} 0 R`)
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((lines, i) => {
      const content = lines.map(({ text, size = 12, x = 72, line }, at) => {
        const escaped = text.replaceAll(/[\\()]/g, String.raw`\$&`)
        return `BT /F1 ${size} Tf 1 0 0 1 ${x} ${740 - 20 * (line ?? at)} Tm (${escaped}) Tj ET`
      })
      const stream = content.join('\n')
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + 2 * i + 1} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  let text = '%PDF-1.7\n'
  const offsets = objects.map((object, i) => {
    const offset = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const start = text.length
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return strToU8(text, true)
}
