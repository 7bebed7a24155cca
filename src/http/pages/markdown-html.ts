/** Renders untrusted Markdown as safe HTML. */
import { parseBlocks } from './markdown/blocks.ts'
import { HtmlWriter } from './markdown/html.ts'

/** Both are HTML. */
export interface RenderedMarkdown {
  readonly html: string
  /** The first heading without its markup, if there is one. */
  readonly title?: string | undefined
}

/**
 * GitHub Flavored Markdown without raw HTML, in linear time: general-purpose parsers are quadratic
 * for some input, which untrusted documents could exploit.
 *
 * @param origin Of the service; only its images are shown.
 */
export function renderMarkdown(source: string, origin: string): RenderedMarkdown {
  const writer = new HtmlWriter(parseBlocks(source), `${origin}/`, source.length)
  const html = writer.write()
  return { html, title: writer.title || undefined }
}
