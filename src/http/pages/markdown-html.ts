/** Markdown that anybody may have written, as HTML that can do nothing but be read. */
import { parseBlocks } from './markdown/blocks.ts'
import { HtmlWriter } from './markdown/html.ts'

/** Of what is shown; both are HTML. */
export interface RenderedMarkdown {
  readonly html: string
  /** The first heading without its markup, if there is one. */
  readonly title?: string | undefined
}

/**
 * GitHub's Markdown without raw HTML, in time proportional to the length. General-purpose parsers are quadratic in one
 * construct or another, and a document of a stranger needs only one of them.
 *
 * @param origin Of the service, where its images come from.
 */
export function renderMarkdown(source: string, origin: string): RenderedMarkdown {
  const writer = new HtmlWriter(parseBlocks(source), `${origin}/`, source.length)
  const html = writer.write()
  return { html, title: writer.title || undefined }
}
