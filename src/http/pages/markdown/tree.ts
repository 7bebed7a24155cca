/** What a Markdown document is made of, before the text in it is parsed. */

/** Tables know where their columns stand; nothing means the browser's default. */
export type Align = 'left' | 'center' | 'right' | undefined

/** Text that is still Markdown. */
export interface TextBlock {
  readonly type: 'paragraph' | 'heading'
  /** Of headings, 1 to 6. */
  readonly level?: number
  text: string
}

/** Text that is no Markdown. */
export interface CodeBlock {
  readonly type: 'code'
  readonly lines: string[]
  readonly info: string
  /** Absent where indentation alone makes it code. */
  readonly fence?: { readonly mark: string; readonly indent: number }
}

export interface TableBlock {
  readonly type: 'table'
  readonly aligns: readonly Align[]
  /** The first one holds the headings. */
  readonly rows: string[][]
}

export interface ListBlock {
  readonly type: 'list'
  /** `-`, `+`, `*`, `.` or `)`: another one begins another list. */
  readonly mark: string
  /** Of numbered lists. */
  readonly start?: number
  readonly children: Container[]
  /** Whether blank lines stand in it, so that its paragraphs keep their distance. */
  isLoose: boolean
}

/** Holds blocks. */
export interface Container {
  readonly type: 'document' | 'quote' | 'item' | 'note'
  readonly children: Block[]
  /** Columns that a further line has to be indented by to belong to it. */
  readonly indent: number
  /** Of items. */
  readonly list?: ListBlock
}

export type Block = TextBlock | CodeBlock | TableBlock | ListBlock | Container | { type: 'break' }

/** Where a link or an image leads, as HTML that fits between quotes. */
export interface Target {
  readonly href: string
  readonly title: string
}

/** A parsed document. */
export interface Tree {
  readonly root: Container
  readonly definitions: ReadonlyMap<string, Target>
  /** Footnotes by label. */
  readonly notes: ReadonlyMap<string, Container>
}
