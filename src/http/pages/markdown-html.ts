/** Markdown that anybody may have written, as HTML that can do nothing but be read. */
import { markdownCost } from './markdown-cost.ts'

/** Of what is shown; both are HTML. */
export interface RenderedMarkdown {
  readonly html: string
  /** The first heading without its markup, if there is one. */
  readonly title?: string | undefined
}

/** Larger documents are shown as they are written. */
export const MAX_MARKDOWN_BYTES = 128 * 1024
/** In the unit of the estimate, roughly microseconds. */
const MAX_COST = 700_000

/**
 * Whether rendering takes a time that fits an answer. The parser's time grows with the square of much
 * that a document may hold: some take a minute that are smaller than any limit of size would be.
 */
export function isRenderable(source: string): boolean {
  return source.length <= MAX_MARKDOWN_BYTES && markdownCost(source) <= MAX_COST
}

/**
 * GitHub's Markdown without raw HTML. Links lead to the web or by mail; relative ones would need a
 * link of their own, which only the owner of the files may give, so they are text. Images are shown from
 * the service itself and from the document; those of strangers would tell them who reads it when, and
 * become links.
 *
 * @param origin Of the service, where its images come from.
 */
export async function renderMarkdown(source: string, origin: string): Promise<RenderedMarkdown> {
  // Only now: the parser would make every start of the service slower.
  const [{ micromark }, { gfm, gfmHtml }] = await Promise.all([
    import('micromark'),
    import('micromark-extension-gfm'),
  ])
  const html = micromark(source, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    // Every address is looked at below; the parser's own list would lose images inside the document.
    allowDangerousProtocol: true,
  })
  const [, , heading] = /<h([1-6])>(.*?)<\/h\1>/s.exec(html) ?? []
  const title = heading?.replaceAll(/<[^>]*>/g, '').trim()
  return { html: withTamedTags(html, `${origin}/`), title: title === '' ? undefined : title }
}

// The parser writes each tag in one way only, and escapes `<`, `>` and `"` wherever they are text.
const TAGS =
  /<a href="([^"]*)"([^>]*)>|<\/a>|<img src="([^"]*)" alt="([^"]*)"[^>]*>|<input ([^>]*)>/g

function withTamedTags(html: string, ownAddress: string): string {
  let isInLink = false
  const tamed = html.replaceAll(
    TAGS,
    (tag, href?: string, rest = '', src?: string, alt = '', input?: string) => {
      if (tag === '</a>') {
        isInLink = false
        return tag
      }
      if (href !== undefined) {
        isInLink = true
        return isPlainAddress(href) ? `<a href="${href}"${rest}>` : '<a>'
      }
      if (src !== undefined) return imageOf(src, alt, ownAddress, isInLink)
      const label = input?.includes('checked') ? 'Done' : 'To do'
      return `<input ${input} aria-label="${label}">`
    },
  )
  return tamed
    .replaceAll(
      '<table>',
      '<div class="wide" role="region" aria-label="Table" tabindex="0"><table>',
    )
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
}

/** As a browser would read it: it skips what the parser percent-encodes, so nothing hides before the colon. */
function isPlainAddress(href: string): boolean {
  return /^(?:https?:\/\/|mailto:|tel:|#)/i.test(href)
}

function imageOf(src: string, alt: string, ownAddress: string, isInLink: boolean): string {
  if (src.startsWith(ownAddress) || /^data:image\//i.test(src)) {
    return `<img src="${src}" alt="${alt}">`
  }
  const text = alt === '' ? 'Image' : alt
  return isInLink || !/^https?:\/\//i.test(src) ? text : `<a href="${src}">${text}</a>`
}
