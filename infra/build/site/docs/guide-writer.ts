/** Renders a guide with the service's Markdown parser. */
import { parseInline } from '../../../../src/http/pages/markdown/inline.ts'
import { piecesHtml, piecesPlain } from '../../../../src/http/pages/markdown/pieces.ts'
import type { Block, CodeBlock, ListBlock } from '../../../../src/http/pages/markdown/tree.ts'
import type { Language } from './highlight.ts'
import { answerBlock, codeBlock, drawing, heading, table } from './html.ts'

/** Guides define neither link references nor footnotes. */
const NO_REFERENCES = { target: () => undefined, note: () => undefined }

/** By the info string of the code fence. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  ini: 'toml',
  json: 'json',
  lua: 'lua',
  sh: 'sh',
  text: 'text',
  toml: 'toml',
}

/** Strips markup and line breaks. */
export function plainText(markdown: string): string {
  return piecesPlain(parseInline(markdown, NO_REFERENCES)).replaceAll(/\s+/g, ' ')
}

/** One per page. */
export class GuideWriter {
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
