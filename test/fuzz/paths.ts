/** The path gate against a second reading of its rules, for text and for bytes. */
import fc from 'fast-check'
import { InvalidPath } from '../../src/errors.ts'
import { parseFolder, parsePath, type PathRules } from '../../src/files/path.ts'
import { promise, promiseSame, propertyTarget } from './target.ts'

const encoder = new TextEncoder()

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('.', '..', '/', '//', './', '../', '...', ' ') },
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'share', 'SHARE', 'Share', 'é', '😀', '%2e') },
  { weight: 2, arbitrary: fc.constantFrom('\\', '\0', '\n', '\x7f', '\x85', '\ud800', '\udc00') },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(511), 'é'.repeat(256), '\ufeff', '\u2028') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
)
const written = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
const rawBytes = fc.oneof(
  written.map((text) => encoder.encode(text)),
  fc
    .tuple(written, fc.uint8Array({ minLength: 1, maxLength: 3 }), written)
    .map(([a, b, c]) => Uint8Array.from([...encoder.encode(a), ...b, ...encoder.encode(c)])),
)
const rules: fc.Arbitrary<PathRules> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ sharedDir: 'share' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      sharedDir: fc.constantFrom(undefined, 'share', 'a'),
      allowed: fc.array(
        fc.array(fc.constantFrom('a', 'a/b', 'share', 'SHARE/x', 'é', '.', ''), { maxLength: 2 }),
        { maxLength: 2 },
      ),
    }),
  },
)

type Parse = typeof parsePath | typeof parseFolder

/** The path behind an equals sign, or the sentence it is refused with. */
function outcomeOf(parse: Parse, raw: string | Uint8Array, of: PathRules): string {
  try {
    return `= ${parse(raw, of)}`
  } catch (error) {
    if (error instanceof InvalidPath) return error.message
    throw error
  }
}

/** The documented rules in their order, read once more and as plainly as they are written. */
function expectedOf(raw: string, isFolder: boolean, { allowed = [], sharedDir }: PathRules) {
  if (raw === '' && !isFolder) return 'path cannot be empty'
  if (raw.includes('\0')) return 'path cannot contain null bytes'
  if (raw[0] === '/') return 'path must be relative'
  const parts = raw.split('/')
  if (parts.some((part) => part === '..')) return "path cannot contain '..' traversal"
  const points = Array.from(raw, (character) => character.codePointAt(0)!)
  if (points.some((point) => point >= 0xd800 && point < 0xe000)) {
    return 'path is not valid: not UTF-8'
  }
  if (points.some((point) => point < 32 || (point >= 127 && point < 160))) {
    return 'path is not valid: contains control characters'
  }
  if (raw.includes('\\')) return 'path is not valid: contains a backslash'
  if (!isFolder && /(?:^|\/)\.?$/.test(raw)) return 'path is not valid: names a folder'
  const name = normal(parts, sharedDir)
  if (encoder.encode(name).length > 512) return 'path is not valid: longer than 512 bytes'
  const isIn = (prefix: string) =>
    `${name}/`.startsWith(slashed(normal(prefix.split('/'), sharedDir)))
  return allowed.every((one) => one.some(isIn)) ? `= ${name}` : 'path is not allowed'
}

function normal(parts: readonly string[], sharedDir: string | undefined): string {
  const kept = parts.filter((part) => part !== '' && part !== '.')
  if (sharedDir && kept[0]?.toLowerCase() === sharedDir.toLowerCase()) kept[0] = sharedDir
  return kept.join('/')
}

const slashed = (folder: string) => (folder === '' ? '' : `${folder}/`)

function checkText(raw: string, of: PathRules): void {
  for (const parse of [parsePath, parseFolder]) {
    const seen = outcomeOf(parse, raw, of)
    promiseSame(seen, expectedOf(raw, parse === parseFolder, of), parse.name)
    if (!/\p{Cs}/u.test(raw)) promiseSame(outcomeOf(parse, encoder.encode(raw), of), seen, 'bytes')
    if (seen.startsWith('= ') && seen !== '= ') checkInside(seen.slice(2), of)
  }
}

function checkInside(path: string, of: PathRules): void {
  promiseSame(outcomeOf(parsePath, path, of), `= ${path}`, 'normalised twice')
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  const { pathname } = new URL(encoded, 'https://host/root/')
  promise(pathname === `/root/${encoded}`, () => `leaves its root: ${path}`)
}

/** Bytes that are text mean that text; others are refused, with a sentence that fits what can be read of them. */
function checkBytes(raw: Uint8Array, of: PathRules): void {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw)
  const isText = encoder.encode(text).every((byte, i) => byte === raw[i])
  for (const parse of [parsePath, parseFolder]) {
    const seen = outcomeOf(parse, raw, of)
    const asText = outcomeOf(parse, text, of)
    if (isText && raw.length === encoder.encode(text).length) promiseSame(seen, asText, 'bytes')
    else {
      const isAscii = /^path (?:cannot|must)/.test(asText)
      promiseSame(seen, isAscii ? asText : 'path is not valid: not UTF-8', 'bytes that are no text')
    }
  }
}

export const paths = propertyTarget(
  { shortRuns: 5_000, longRuns: 1_000_000 },
  fc.property(written, rawBytes, rules, (text, bytes, of) => {
    checkText(text, of)
    checkBytes(bytes, of)
  }),
)
