/** Which part of an Office document refers to which, by id and by kind. */
import { attributeOf } from './xml-scanner.ts'
import type { ZipParts } from './zip-parts.ts'

export interface Relationship {
  readonly id: string
  /** The last word of its type, such as `worksheet`. */
  readonly kind: string
  /** The name of the part. */
  readonly target: string
}

/** Of a part, or of the whole document (`''`). What is outside of the document is left out. */
export async function relationshipsOf(parts: ZipParts, part: string): Promise<Relationship[]> {
  const slash = part.lastIndexOf('/') + 1
  const name = `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`
  if (!parts.has(name)) return []
  const found: Relationship[] = []
  for await (const tokens of parts.xml(name)) {
    for (const token of tokens) {
      if (token.kind !== 'open' || token.name !== 'Relationship') continue
      const attribute = (which: string) => attributeOf(token.attributes, which) ?? ''
      if (attribute('TargetMode') === 'External') continue
      const kind = attribute('Type')
      found.push({
        id: attribute('Id'),
        kind: kind.slice(kind.lastIndexOf('/') + 1),
        target: resolvePart(part.slice(0, slash), attribute('Target')),
      })
    }
  }
  return found
}

/** The name of a part as seen from a folder; `..` cannot leave the document. */
export function resolvePart(folder: string, target: string): string {
  const segments: string[] = []
  const whole = target.startsWith('/') ? target : `${folder}${target}`
  for (const segment of whole.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments.join('/')
}
