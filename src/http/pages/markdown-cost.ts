/** Estimates how long the Markdown parser takes, in a time that grows only with the length. */

/** Roughly in microseconds: mostly within a factor of two, for ordinary text and for hostile. */
export function markdownCost(text: string): number {
  const source = text.replaceAll(/\r\n?/g, '\n')
  const blocks = source.split(BETWEEN_BLOCKS)
  const inline = blocks.reduce((sum, block) => sum + inlineCost(block), 0)
  const tickLengths = new Set(source.match(/`+/g)?.map((run) => run.length)).size
  // Names of definitions and notes are looked up in lists.
  const lookups = countOf(source, /\]/g) ** 2 / 500 + countOf(source, /\[\^/g) ** 2 / 30
  return (
    source.length + structureCost(source) + inline + lookups + (tickLengths * source.length) / 15
  )
}

/** No text goes on beyond these: blank lines, headings, items. Those further indented may be text. */
const BETWEEN_BLOCKS = /\n(?=[ \t]*\n| {0,3}(?:[-+*] {1,4}[^\s]|#{1,6} ))/

/** Each mark stands for a container: a quote or an item of a list. */
const MARKS = /(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))*/y

/**
 * Where a container ends by anything but its next sibling, and at each underlined heading, the parser
 * copies what it has read of the document.
 */
function structureCost(source: string): number {
  const lines = source.split('\n')
  let [read, copied, depth] = [0, 0, 0]
  let before = { text: 0, first: 0, marks: 0, quotes: 0, isBlank: true }
  /** The column a line has to begin at to belong to the container above it; 0 outside of any. */
  let required = 0
  for (const line of lines) {
    const now = beginningOf(line)
    read += 1 + 2 * now.marks + 0.8 * now.cells
    if (now.marks > 0) depth = Math.max(depth, now.marks + now.first / 2)
    const isSibling = now.marks === 1 && now.first === before.first && now.quotes === before.quotes
    const isInside = now.marks === 0 && (now.isBlank ? before.quotes === 0 : now.text >= required)
    const isQuote = now.quotes === 1 && before.quotes === 0
    const isNew = now.marks === 1 && (isQuote || now.first >= required)
    if (!isSibling && !isInside && !isNew) copied += read
    if (!before.isBlank && now.isUnderline) copied += read
    if (now.marks > 0) required = now.text
    else if (before.isBlank && !now.isBlank && now.text < required) required = 0
    const holder = now.marks > 0 ? now : { ...before, quotes: now.isBlank ? 0 : before.quotes }
    before = { ...holder, isBlank: now.isBlank }
  }
  return 30 * read + copied / 5 + 3 * depth * lines.length + depth ** 2 / 100
}

function beginningOf(line: string) {
  MARKS.lastIndex = 0
  const beginning = MARKS.exec(line)?.[0] ?? ''
  const rest = line.slice(beginning.length)
  const text = rest.trimStart()
  return {
    marks: countOf(beginning, /[^\s\d.)]|[.)]/g),
    quotes: countOf(beginning, />/g),
    cells: countOf(rest, /\|/g),
    first: columnAt(beginning, beginning.length - beginning.trimStart().length),
    text: columnAt(line, line.length - text.length),
    isBlank: text === '' && beginning === '',
    isUnderline: /^(?:=+|-+)$/.test(text.trimEnd()) || (text === '' && beginning.endsWith('-')),
  }
}

/** Tabs reach to the next multiple of four. */
function columnAt(line: string, end: number): number {
  let column = 0
  for (let at = 0; at < end; at += 1) column += line[at] === '\t' ? 4 - (column % 4) : 1
  return column
}

/** The parser copies long lists of what it has found in a text over and over. */
const SHORT_TEXT = 8000

function inlineCost(block: string): number {
  const found = countOf(block, /[[\]*_~`<"\n]/g)
  const strays = strayBrackets(block) / 2 + strayEmphasis(block)
  const tags = countOf(block, /<[!?]/g) * block.length
  const escapes = countOf(block, /[\\&]/g)
  const copies = Math.max(0, found - SHORT_TEXT) ** 2 / 100
  return 12 * found + 4 * escapes + strays ** 2 / 10 + (tags + scansOf(block)) / 30 + copies
}

/** Those that close nothing: each is compared with all that comes before it. */
function strayBrackets(block: string): number {
  let [open, strays] = [0, 0]
  for (const [bracket] of block.matchAll(/[[\]]/g)) {
    if (bracket === '[') open += 1
    else if (open > 0) open -= 1
    else strays += 1
  }
  // The parser forgets those that stayed open, one by one.
  return strays + open / 4
}

/** Of emphasis, in marks still open. */
const USUAL_NESTING = 8

/** Runs that close nothing, and those that may both open and close. */
function strayEmphasis(block: string): number {
  const open = { '*': 0, _: 0, '~': 0 }
  let [strays, pairs] = [0, 0]
  for (const { 0: run, index } of block.matchAll(/\*+|_+|~+/g)) {
    const mark = run[0] as keyof typeof open
    const [before, after] = [kindOf(block[index - 1]), kindOf(block[index + run.length])]
    const opens = after > 0 && (after > 1 || before < 2)
    const closes = before > 0 && (before > 1 || after < 2)
    const isPaired = closes && !opens && mark !== '~' && open[mark] >= run.length
    if (opens && !closes) open[mark] += run.length
    else if (isPaired) open[mark] -= run.length
    else if (closes && !(mark === '_' && opens)) strays += 1
    // What lies between a pair is copied: nested ones copy it again.
    if (isPaired) pairs += open[mark] > USUAL_NESTING ? 20 : 1
  }
  return strays + pairs / 2.5
}

/** Nothing or a blank 0, punctuation 1, all else 2. */
function kindOf(character: string | undefined): number {
  if (character === undefined || /\s/.test(character)) return 0
  return /[\p{P}\p{S}]/u.test(character) ? 1 : 2
}

/** How far the parser looks for the end of titles in links, and of bare addresses inside of addresses. */
function scansOf(block: string): number {
  let [sum, end] = [0, block.length]
  for (let at = block.length - 1; at >= 0; at -= 1) {
    if (block[at] === ')' && block[at - 1] !== '\\') end = at
    else if (block[at] === '(' && block[at - 1] === ']') sum += end - at
  }
  for (const [word] of block.matchAll(/\S{200,}/g)) {
    sum += 30 * countOf(word, /www\.|https?:/gi) * (word.length / 4)
  }
  return sum
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
