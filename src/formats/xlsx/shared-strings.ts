/** The texts of a workbook, which cells refer to by number. */
import { FormatError } from '../format-host.ts'
import type { ZipParts } from '../office/zip-parts.ts'

/** They stay in memory while sheets are read. */
const MAX_GROWTH = 4
/** Besides its characters. */
const BYTES_PER_STRING = 24

/** @throws {FormatError} if they are too large together. */
export async function readSharedStrings(
  parts: ZipParts,
  part: string | undefined,
  parseBytes: number,
  file: string,
): Promise<string[]> {
  if (part === undefined || !parts.has(part)) return []
  const strings: string[] = []
  let left = MAX_GROWTH * parseBytes
  const take = (length: number) => {
    left -= length
    if (left < 0) throw new FormatError(`${file}: has too much text to hold in memory`)
  }
  let text: string[] | undefined
  let isText = false
  let phonetic = 0
  for await (const tokens of parts.xml(part)) {
    for (const token of tokens) {
      if (token.kind === 'text') {
        if (!text || !isText || phonetic > 0) continue
        text.push(token.text)
        take(token.text.length)
        continue
      }
      const isOpen = token.kind === 'open'
      if (token.name === 't') isText = isOpen && !token.isEmpty
      // Readings of Japanese text, which repeat it.
      else if (token.name === 'rPh' && !(isOpen && token.isEmpty)) phonetic += isOpen ? 1 : -1
      else if (token.name === 'si') {
        if (isOpen) text = []
        if (!isOpen || token.isEmpty) {
          strings.push(decodeEscapes((text ?? []).join('')))
          take(BYTES_PER_STRING)
          text = undefined
        }
      }
    }
  }
  return strings
}

/** `_x000D_` stands for a character that XML cannot hold. */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text
  return text.replaceAll(/_x([0-9a-f]{4})_/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
}
