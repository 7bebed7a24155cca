/** Removes secrets from API responses: some echo the credential. */
import { releaseChunks } from '../../storage/object-body.ts'
import { AhoCorasick } from './aho-corasick.ts'
import { EscapeFinder } from './escape-finder.ts'
import { encodingsOf, startsEscape, unescapeAt } from './secret-encodings.ts'

/** Shorter secrets would match everywhere. */
const MIN_LENGTH = 4
/** Shorter secrets must match a whole word. */
const MIN_SUBSTRING_LENGTH = 8
/** Escapes, also nested ones. */
const MAX_BYTES_PER_CHARACTER = 16
/** A word's letter before, and backslashes. */
const CONTEXT_BYTES = 32
const BACKSLASH = 0x5c
const NINE = 0x39
const MARK = new TextEncoder().encode('[redacted]')

/** End exclusive. */
interface Span {
  readonly start: number
  readonly end: number
}

/** The secrets of one run; later ones, such as access tokens, are added. */
export class Redactor {
  readonly #secrets = new Set<string>()
  #matcher: AhoCorasick | undefined

  hide(secret: string): void {
    if (secret.length < MIN_LENGTH || this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    this.#matcher = undefined
  }

  /** Returns the same array if there is nothing to hide. */
  bytes(content: Uint8Array): Uint8Array {
    if (this.#secrets.size === 0) return content
    return without(content, secretsIn(content, this.#words))
  }

  /** Like {@link bytes}, also for secrets split over pieces. A piece is valid until the next. */
  async *stream(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const split = new SplitRedactor()
    try {
      for await (const piece of pieces) {
        const clean = this.#secrets.size === 0 ? piece : split.push(piece, this.#words)
        if (clean.length > 0) yield clean
      }
      const rest = this.#secrets.size === 0 ? undefined : split.end(this.#words)
      if (rest && rest.length > 0) yield rest
    } finally {
      split.release()
    }
  }

  text(content: string): string {
    const bytes = new TextEncoder().encode(content)
    const clean = this.bytes(bytes)
    return clean === bytes ? content : new TextDecoder().decode(clean)
  }

  get #words(): AhoCorasick {
    return (this.#matcher ??= matcherFor(this.#secrets))
  }
}

/** Holds back as much of a stream as a secret can take, and sees as much before it. */
class SplitRedactor {
  /** One buffer for all pieces: those of a large body would be much garbage. */
  #buffer = new Uint8Array()
  #length = 0
  /** Up to here it was given out: what precedes a secret decides whether it is one. */
  #from = 0

  /** The result is valid until the next call. */
  push(piece: Uint8Array, words: AhoCorasick): Uint8Array {
    this.#append(piece)
    const heldBytes = words.maxLength * MAX_BYTES_PER_CHARACTER
    // Each look starts anew at what was kept: small pieces are looked at together.
    if (this.#length - this.#from < 2 * heldBytes) return new Uint8Array()
    return this.#take(words, this.#length - heldBytes)
  }

  end(words: AhoCorasick): Uint8Array {
    return this.#take(words, this.#length)
  }

  #take(words: AhoCorasick, wanted: number): Uint8Array {
    const from = this.#from
    if (wanted === from) return new Uint8Array()
    const content = this.#buffer.subarray(0, this.#length)
    const spans = secretsIn(content, words).flatMap(({ start, end }) =>
      end <= from ? [] : [{ start: Math.max(start, from), end }],
    )
    // A secret stays whole: it is given out, or held, with what follows it.
    const cut = spans.reduce((at, { start, end }) => (start < at && at < end ? start : at), wanted)
    this.#from = cut
    const complete = spans.filter(({ end }) => end <= cut)
    return without(content.subarray(0, cut), complete).subarray(from)
  }

  #append(piece: Uint8Array): void {
    const start = Math.max(0, this.#from - CONTEXT_BYTES)
    const keptBytes = this.#length - start
    this.#from -= start
    this.#length = keptBytes + piece.length
    if (this.#length <= this.#buffer.length) this.#buffer.copyWithin(0, start, start + keptBytes)
    else {
      const grown = new Uint8Array(2 * this.#length)
      grown.set(this.#buffer.subarray(start, start + keptBytes))
      this.release()
      this.#buffer = grown
    }
    this.#buffer.set(piece, keptBytes)
  }

  /** Frees the memory now instead of waiting for garbage collection. */
  release(): void {
    releaseChunks([this.#buffer])
  }
}

function secretsIn(content: Uint8Array, words: AhoCorasick): Span[] {
  return merged([...spansIn(content, words, false), ...spansIn(content, words, true)])
}

function matcherFor(secrets: ReadonlySet<string>): AhoCorasick {
  const encoder = new TextEncoder()
  const words = [...secrets].flatMap((secret) => [...encodingsOf(secret)])
  return new AhoCorasick(words.map((word) => encoder.encode(word)))
}

/**
 * Matches, none nested.
 *
 * @param isEscaped Looks for those with escapes, and finds some of the others too.
 */
function spansIn(content: Uint8Array, matcher: AhoCorasick, isEscaped: boolean): Span[] {
  const spans: Span[] = []
  const escapes = new EscapeFinder(content, (byte) => matcher.contains(byte))
  let escape = -1
  // Ring buffer of character offsets: escapes take more than one byte.
  const starts = new Uint32Array(matcher.maxLength)
  let state = 0
  let count = 0
  for (let at = 0; at < content.length;) {
    // Fast path: most bytes are in no word.
    if (state === 0 && isEscaped) {
      if (escape < at) escape = escapes.next(at)
      if (escape - matcher.maxLength > at) at = escape - matcher.maxLength
      if (escape === content.length) break
    } else if (state === 0) {
      at = matcher.nextStart(content, at)
      if (at === content.length) break
    }
    const start = at
    let byte = content[at++]!
    if (isEscaped && startsEscape(byte)) [byte, at] = unescapeAt(content, start)
    if (state === 0 && !matcher.canStart(byte, content[at])) continue
    starts[count++ % starts.length] = start
    state = matcher.step(state, byte)
    const length = matcher.matchLength(state)
    if (length > 0) add(spans, content, starts[(count - length) % starts.length]!, at, length)
  }
  return spans
}

function add(spans: Span[], content: Uint8Array, from: number, end: number, length: number): void {
  if (length < MIN_SUBSTRING_LENGTH && !isWord(content, from, end)) return
  const start = escapeStart(content, from)
  while (spans.length > 0 && spans.at(-1)!.start >= start) spans.pop()
  spans.push({ start, end })
}

function merged(spans: Span[]): Span[] {
  spans.sort((a, b) => a.start - b.start)
  const apart: Span[] = []
  for (const span of spans) {
    const last = apart.at(-1)
    if (!last || span.start > last.end) apart.push(span)
    else apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
  }
  return apart
}

function without(content: Uint8Array, spans: readonly Span[]): Uint8Array {
  if (spans.length === 0) return content
  const marks = spans.map(({ start, end }) => markFor(content.subarray(start, end)))
  const saved = spans.reduce((sum, { start, end }, i) => sum + end - start - marks[i]!.length, 0)
  const clean = new Uint8Array(content.length - saved)
  let from = 0
  let to = 0
  spans.forEach(({ start, end }, i) => {
    clean.set(content.subarray(from, start), to)
    to += start - from
    clean.set(marks[i]!, to)
    to += marks[i]!.length
    from = end
  })
  clean.set(content.subarray(from), to)
  return clean
}

/** A digits-only secret may be a JSON number, and must stay one. */
function markFor(secret: Uint8Array): Uint8Array {
  return secret.every(isDigit) ? new Uint8Array(secret.length).fill(NINE) : MARK
}

/** A preceding backslash would escape the mark. */
function escapeStart(content: Uint8Array, start: number): number {
  let first = start
  while (content[first - 1] === BACKSLASH) first--
  return (start - first) % 2 === 1 ? start - 1 : start
}

function isWord(content: Uint8Array, start: number, end: number): boolean {
  return !isLetter(content[start - 1]) && !isLetter(content[end])
}

function isLetter(byte: number | undefined): boolean {
  if (byte === undefined) return false
  const lower = byte | 0x20
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x7a) || byte >= 0x80
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
