/** Pairs delimiter runs of emphasis, strong emphasis and strikethrough. */
import type { Piece } from './pieces.ts'

type Mark = '*' | '_' | '~'

const BLANK = 0
const PUNCTUATION = 1
const OTHER = 2

/** A delimiter run. */
export class Run implements Piece {
  readonly mark: Mark
  readonly at: number
  readonly length: number
  readonly canOpen: boolean
  readonly canClose: boolean
  /** Closers of the same kind match the same openers. */
  readonly kind: string
  /** Linked list of runs that may still be paired. */
  before: Run | undefined
  after: Run | undefined
  #unpaired: number
  #closing = ''
  #opening = ''

  constructor(text: string, at: number, length: number, before: Run | undefined) {
    this.mark = text[at] as Mark
    this.at = at
    this.length = length
    this.#unpaired = length
    this.before = before
    if (before) before.after = this
    const left = kindOf(characterBefore(text, at))
    const right = kindOf(characterAt(text, at + length))
    const opens = right !== BLANK && (right === OTHER || left !== OTHER)
    const closes = left !== BLANK && (left === OTHER || right !== OTHER)
    const isMark = this.mark !== '~' || length <= 2
    // Inside a word, an underscore is literal.
    const isFree = this.mark !== '_' || !(opens && closes)
    this.canOpen = isMark && opens && (isFree || left === PUNCTUATION)
    this.canClose = isMark && closes && (isFree || right === PUNCTUATION)
    const likes = this.mark === '~' ? length : length % 3
    this.kind = `${this.mark}${likes}${this.canOpen}`
  }

  get html(): string {
    return this.#closing + this.plain + this.#opening
  }

  get plain(): string {
    return this.mark.repeat(this.#unpaired)
  }

  get isSpent(): boolean {
    return this.#unpaired === 0
  }

  isOpenedBy(opener: Run): boolean {
    if (opener.mark !== this.mark || !opener.canOpen) return false
    if (this.mark === '~') return opener.length === this.length
    if (!opener.canClose && !this.canOpen) return true
    const sum = opener.length + this.length
    return sum % 3 !== 0 || this.length % 3 === 0
  }

  pairWith(opener: Run): void {
    const isDouble = opener.#unpaired >= 2 && this.#unpaired >= 2
    const marks = isDouble ? 2 : 1
    const tag = this.mark === '~' ? 'del' : isDouble ? 'strong' : 'em'
    opener.#unpaired -= marks
    this.#unpaired -= marks
    opener.#opening = `<${tag}>${opener.#opening}`
    this.#closing += `</${tag}>`
  }
}

/**
 * Pairs the runs after `bottom`. A failed search sets a floor for later closers of its kind, so
 * each run is visited once per kind.
 */
export function pairRuns(last: Run | undefined, bottom: Run | undefined): void {
  // Offsets, not runs: a run may have been removed by then.
  const floors = new Map<string, number>()
  let closer = firstAfter(bottom, last)
  while (closer) {
    if (!closer.canClose) {
      closer = closer.after
      continue
    }
    const opener = openerOf(closer, floors.get(closer.kind) ?? bottom?.at ?? -1)
    if (!opener) {
      floors.set(closer.kind, closer.at - 1)
      const next: Run | undefined = closer.after
      if (!closer.canOpen) remove(closer)
      closer = next
      continue
    }
    closer.pairWith(opener)
    // Runs in between can no longer be paired.
    opener.after = closer
    closer.before = opener
    if (opener.isSpent) remove(opener)
    if (closer.isSpent) {
      const next: Run | undefined = closer.after
      remove(closer)
      closer = next
    }
  }
}

function firstAfter(bottom: Run | undefined, last: Run | undefined): Run | undefined {
  if (bottom) return bottom.after
  let first = last
  while (first?.before) first = first.before
  return first
}

function openerOf(closer: Run, floor: number): Run | undefined {
  for (let run = closer.before; run && run.at > floor; run = run.before) {
    if (closer.isOpenedBy(run)) return run
  }
  return undefined
}

function remove({ before, after }: Run): void {
  if (before) before.after = after
  if (after) after.before = before
}

function characterAt(text: string, at: number): string | undefined {
  const code = text.codePointAt(at)
  return code === undefined ? undefined : String.fromCodePoint(code)
}

function characterBefore(text: string, at: number): string | undefined {
  const isPair = /[\udc00-\udfff]/.test(text[at - 1] ?? '')
  return at === 0 ? undefined : characterAt(text, at - (isPair ? 2 : 1))
}

function kindOf(character: string | undefined): number {
  if (character === undefined || /\s/.test(character)) return BLANK
  return /[\p{P}\p{S}]/u.test(character) ? PUNCTUATION : OTHER
}
