/** Guide pages: one for each Markdown file in `docs`. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseBlocks } from '../../../../src/http/pages/markdown/blocks.ts'
import type {
  TextBlock,
  Block,
  CodeBlock,
  ListBlock,
} from '../../../../src/http/pages/markdown/tree.ts'
import type { DocsPage } from './frame.ts'
import { guideFiles } from './guide-files.ts'
import { codeVariants, parseRequest } from '../api/request-code.ts'
import {
  anchorOf,
  answerBlock,
  codeBlock,
  drawing,
  heading,
  languageTabs,
  table,
  type Language,
} from './html.ts'
import { parseInline } from '../../../../src/http/pages/markdown/inline.ts'
import { piecesHtml, piecesPlain } from '../../../../src/http/pages/markdown/pieces.ts'

export function guidePages(): DocsPage[] {
  return guideFiles().map(guidePage)
}

function guidePage(file: string): DocsPage {
  const path = `/docs/${basename(file, '.md')}`
  const blocks = parseBlocks(withSitePaths(readFileSync(file, 'utf8'))).root.children
  const headings = blocks.filter((block): block is TextBlock => block.type === 'heading')
  const introduction = blocks[1]
  if (headings[0]?.level !== 1 || introduction?.type !== 'paragraph') {
    throw new Error(`${file} must begin with a title and a paragraph`)
  }
  const sections = headings.filter(({ level }) => level === 2)
  return {
    path,
    title: headings[0].text,
    description: plainText(introduction.text),
    contents: [
      {
        title: 'On this page',
        links: sections.map(({ text }) => ({ href: `${path}#${anchorOf(text)}`, text })),
      },
    ],
    main: new GuideWriter().write(blocks),
  }
}

/**
 * The renderer drops relative links, so links to other pages are passed as fragments. A page made
 * from data is linked by its source, which is what there is in the repository.
 */
function withSitePaths(source: string): string {
  return source
    .replaceAll(/\]\(([\w-]+)\.md(#[\w-]+)?\)/g, '](#/docs/$1$2)')
    .replaceAll(/\]\(\.\.\/infra\/build\/site\/docs\/(\w+)-pages?\.ts\)/g, '](#/docs/$1)')
}

/** Guides define neither link references nor footnotes. */
const NO_REFERENCES = { target: () => undefined, note: () => undefined }

/** By the info string of the code fence. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  ini: 'toml',
  json: 'json',
  lua: 'lua',
  python: 'py',
  sh: 'sh',
  text: 'text',
  toml: 'toml',
  ts: 'ts',
  yaml: 'toml',
}

/** Strips markup and line breaks. */
function plainText(markdown: string): string {
  return piecesPlain(parseInline(markdown, NO_REFERENCES)).replaceAll(/\s+/g, ' ')
}

/** One per page. */
class GuideWriter {
  /** The last heading; labels code and tables. */
  #section = ''
  /** Labels used so far: labels of regions must be unique within a page. */
  readonly #labels = new Map<string, number>()

  write(blocks: readonly Block[]): string {
    return blocks.map((block) => this.#block(block)).join('\n')
  }

  #block(block: Block, isTight = false): string {
    switch (block.type) {
      case 'paragraph':
        return isTight ? inlineHtml(block.text) : `<p>${inlineHtml(block.text)}</p>`
      case 'heading':
        this.#section = plainText(block.text)
        return block.level === 1
          ? `<h1>${inlineHtml(block.text)}</h1>`
          : heading(block.level === 2 ? 2 : 3, block.text)
      case 'code':
        return this.#code(block)
      case 'table': {
        const [head = [], ...rows] = block.rows.map((row) => row.map(inlineHtml))
        return table(this.#label(), head, rows)
      }
      case 'list':
        return this.#list(block)
      default:
        throw new Error(`a guide cannot contain a ${block.type}`)
    }
  }

  #code({ lines, info }: CodeBlock): string {
    const code = lines.join('\n')
    if (info === '') return drawing(code, this.#label())
    if (info === 'http') return languageTabs(codeVariants(parseRequest(code)), this.#label())
    const language = LANGUAGES[info]
    if (language === undefined) throw new Error(`a guide cannot contain code in ${info}`)
    return language === 'text' || language === 'json'
      ? answerBlock(code, language, this.#label())
      : codeBlock(code, language, this.#label())
  }

  #list({ start, isLoose, children }: ListBlock): string {
    const tag = start === undefined ? 'ul' : 'ol'
    const items = children.map((item) => {
      const html = item.children.map((block) => this.#block(block, !isLoose))
      return `<li>${html.join('\n')}</li>`
    })
    return `<${tag}>\n${items.join('\n')}\n</${tag}>`
  }

  #label(): string {
    const count = (this.#labels.get(this.#section) ?? 0) + 1
    this.#labels.set(this.#section, count)
    return count === 1 ? this.#section : `${this.#section} (${count})`
  }
}

/** Links to anything but guides become text: the site does not serve the repository. */
function inlineHtml(markdown: string): string {
  return piecesHtml(parseInline(markdown, NO_REFERENCES), '/')
    .replaceAll('href="#/docs/', 'href="/docs/')
    .replaceAll(/<a>(.*?)<\/a>/gs, '$1')
}
