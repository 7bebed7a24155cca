/** The block structure of a Markdown document; inline content is still unparsed. */

/** Of a table column; `undefined` is the browser's default. */
export type Align = 'left' | 'center' | 'right' | undefined

/** Contains inline Markdown. */
export interface TextBlock {
  readonly type: 'paragraph' | 'heading'
  /** Of headings, 1 to 6. */
  readonly level?: number
  text: string
}

/** Contains literal text. */
export interface CodeBlock {
  readonly type: 'code'
  readonly lines: string[]
  readonly info: string
  /** Absent for indented code. */
  readonly fence?: { readonly mark: string; readonly indent: number }
}

export interface TableBlock {
  readonly type: 'table'
  readonly aligns: readonly Align[]
  /** The first row is the header. */
  readonly rows: string[][]
}

export interface ListBlock {
  readonly type: 'list'
  /** `-`, `+`, `*`, `.` or `)`: a different mark starts a new list. */
  readonly mark: string
  /** Of numbered lists. */
  readonly start?: number
  readonly children: Container[]
  /** Whether items are separated by blank lines, so their paragraphs get `<p>` tags. */
  isLoose: boolean
}

export interface Container {
  readonly type: 'document' | 'quote' | 'item' | 'note'
  readonly children: Block[]
  /** Indentation, in columns, that continues this container. */
  readonly indent: number
  /** Of items. */
  readonly list?: ListBlock
}

export type Block = TextBlock | CodeBlock | TableBlock | ListBlock | Container | { type: 'break' }

/** Both escaped for HTML attributes. */
export interface Target {
  readonly href: string
  readonly title: string
}

export interface Tree {
  readonly root: Container
  readonly definitions: ReadonlyMap<string, Target>
  /** Footnotes by label. */
  readonly notes: ReadonlyMap<string, Container>
}
