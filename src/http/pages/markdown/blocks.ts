/** Parses a document into blocks, line by line. */
import { STARTS, tableRow } from './block-starts.ts'
import { Line } from './line.ts'
import { definitionAt } from './targets.ts'
import type { Block, CodeBlock, Container, TableBlock, Target, TextBlock, Tree } from './tree.ts'

/** Deeper quote and list marks are text: each line costs time proportional to the depth. */
const MAX_DEPTH = 32
const CODE_INDENT = 4

/** A paragraph that may continue. */
interface OpenParagraph {
  readonly type: 'paragraph'
  readonly block: TextBlock
  readonly lines: string[]
}

/** Single pass; each line costs time proportional to its length plus its depth. */
export function parseBlocks(source: string): Tree {
  const parser = new BlockParser()
  const lines = source.replaceAll('\0', '\ufffd').split(/\r\n?|\n/)
  if (lines.at(-1) === '') lines.pop()
  for (const line of lines) parser.read(new Line(line))
  return parser.end()
}

/** Holds the blocks that are open after the lines read so far. */
export class BlockParser {
  readonly #root: Container = { type: 'document', children: [], indent: 0 }
  /** From the document to the innermost container. */
  readonly #open: Container[] = [this.#root]
  /** How many of the open containers the current line belongs to. */
  #depth = 1
  /** The last block of the innermost container, while it may continue. */
  #leaf: OpenParagraph | CodeBlock | TableBlock | undefined
  #isAfterBlank = false
  readonly #definitions = new Map<string, Target>()
  readonly #notes = new Map<string, Container>()

  read(line: Line): void {
    this.#depth = this.#matching(line)
    if (this.#isWhole && this.#leaf?.type === 'code' && this.#continueCode(this.#leaf, line)) return
    while (!line.isBlank) {
      if (line.indent >= CODE_INDENT) {
        if (this.#leaf?.type === 'paragraph') break
        this.#beginCode(line)
        return
      }
      const kind = this.#start(line)
      if (kind === undefined) break
      if (kind === 'leaf') {
        this.#isAfterBlank = false
        return
      }
    }
    if (line.isBlank) this.#readBlank()
    else this.#readText(line)
  }

  end(): Tree {
    this.#depth = 0
    this.closeLeaf()
    return { root: this.#root, definitions: this.#definitions, notes: this.#notes }
  }

  /** Whether another container may be nested here. */
  get hasRoom(): boolean {
    return this.#depth <= MAX_DEPTH
  }

  /** The paragraph this line could continue without lazy continuation. */
  get paragraph(): OpenParagraph | undefined {
    return this.#isWhole && this.#leaf?.type === 'paragraph' ? this.#leaf : undefined
  }

  /** Closes the containers the line is not part of, then adds the block. */
  add(block: Block): void {
    const parent = this.#close()
    if (this.#isAfterBlank && parent.list && parent.children.length > 0) {
      parent.list.isLoose = true
    }
    parent.children.push(block)
  }

  /** Like {@link add}; the rest of the line goes into the container. */
  open(container: Container): void {
    this.add(container)
    this.#enter(container)
  }

  openItem(mark: string, indent: number, start: number | undefined): void {
    const parent = this.#close()
    const before = parent.children.at(-1)
    const goesOn = before?.type === 'list' && before.mark === mark
    const list = goesOn
      ? before
      : {
          type: 'list' as const,
          mark,
          children: [],
          isLoose: false,
          ...(start !== undefined && { start }),
        }
    if (!goesOn) this.add(list)
    else if (this.#isAfterBlank) list.isLoose = true
    const item: Container = { type: 'item', children: [], indent, list }
    list.children.push(item)
    this.#enter(item)
  }

  openNote(label: string): void {
    this.#close()
    const note: Container = { type: 'note', children: [], indent: 4 }
    // The first definition wins, as for links.
    if (!this.#notes.has(label)) this.#notes.set(label, note)
    this.#enter(note)
  }

  addLeaf(leaf: CodeBlock | TableBlock): void {
    this.add(leaf)
    this.#leaf = leaf
  }

  /** Moves leading link definitions out of the paragraph; returns what is left. */
  textOf(paragraph: OpenParagraph): string {
    let text = paragraph.lines.join('\n')
    if (text.startsWith('[')) text = this.#withoutDefinitions(text)
    paragraph.lines.splice(0, Infinity, ...(text === '' ? [] : [text]))
    return text.trimEnd()
  }

  /** Discards the paragraph, which has become another block. */
  dropParagraph(paragraph: OpenParagraph): void {
    paragraph.lines.length = 0
    this.closeLeaf()
  }

  closeLeaf(): void {
    const leaf = this.#leaf
    this.#leaf = undefined
    if (leaf?.type === 'paragraph') leaf.block.text = this.textOf(leaf)
    else if (leaf?.type === 'code' && !leaf.fence) {
      while (leaf.lines.at(-1)?.trim() === '') leaf.lines.pop()
    }
  }

  /** Whether the line belongs to all open containers. */
  get #isWhole(): boolean {
    return this.#depth === this.#open.length
  }

  #matching(line: Line): number {
    let depth = 1
    for (; depth < this.#open.length; depth += 1) {
      const { type, indent, children } = this.#open[depth]!
      if (type === 'quote') {
        if (line.indent >= CODE_INDENT || !line.text.startsWith('>')) break
        line.takeMark(1)
        line.take(1)
      } else if (line.isBlank) {
        // An item may start with one blank line, not with two.
        if (children.length === 0 && type === 'item') break
      } else if (line.indent >= indent) line.take(indent)
      else break
    }
    return depth
  }

  #start(line: Line): 'container' | 'leaf' | undefined {
    for (const start of STARTS) {
      const kind = start(this, line)
      if (kind !== undefined) return kind
    }
    return undefined
  }

  #close(): Container {
    this.closeLeaf()
    this.#open.length = this.#depth
    return this.#open.at(-1)!
  }

  #enter(container: Container): void {
    this.#open.push(container)
    this.#depth = this.#open.length
    this.#isAfterBlank = false
  }

  #continueCode(code: CodeBlock, line: Line): boolean {
    if (code.fence) {
      this.#isAfterBlank = false
      const { mark, indent } = code.fence
      const text = line.indent < CODE_INDENT ? line.text.trimEnd() : ''
      const isEnd = text.length >= mark.length && text === mark[0]!.repeat(text.length)
      if (isEnd) return (this.closeLeaf(), true)
      line.take(indent)
      code.lines.push(line.rest)
      return true
    }
    if (line.indent < CODE_INDENT && !line.isBlank) return false
    this.#isAfterBlank = line.isBlank
    line.take(CODE_INDENT)
    code.lines.push(line.rest)
    return true
  }

  #beginCode(line: Line): void {
    line.take(CODE_INDENT)
    this.addLeaf({ type: 'code', lines: [line.rest], info: '' })
    this.#isAfterBlank = false
  }

  #readBlank(): void {
    const container = this.#close()
    // Blank lines inside a quote, or as first line of an item, do not separate blocks.
    const isInside =
      container.type === 'quote' || (container.list && container.children.length === 0)
    this.#isAfterBlank = !isInside
  }

  #readText(line: Line): void {
    const leaf = this.#leaf
    if (leaf?.type === 'paragraph') leaf.lines.push(line.text)
    else if (leaf?.type === 'table' && this.#isWhole) leaf.rows.push(tableRow(line.text))
    else {
      const block: TextBlock = { type: 'paragraph', text: '' }
      this.add(block)
      this.#leaf = { type: 'paragraph', block, lines: [line.text] }
    }
    this.#isAfterBlank = false
  }

  #withoutDefinitions(text: string): string {
    let at = 0
    for (let found = definitionAt(text, at); found; found = definitionAt(text, at)) {
      const { label, target } = found.value
      if (!this.#definitions.has(label)) this.#definitions.set(label, target)
      at = found.end
    }
    return text.slice(at)
  }
}
