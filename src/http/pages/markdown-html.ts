/** Markdown that anybody may have written, as HTML that can do nothing but be read. */

/** Of what is shown; both are HTML. */
export interface RenderedMarkdown {
  readonly html: string
  /** The first heading without its markup, if there is one. */
  readonly title?: string | undefined
}

/** Larger documents are shown as they are written. */
export const MAX_MARKDOWN_BYTES = 512 * 1024
/** Roughly microseconds. */
const MAX_COST = 6_000_000
/** What a line begins with where people nest lists and quotes: indentation and marks. */
const USUAL_BEGINNING = 8

/**
 * Whether rendering takes a time that fits an answer. The parser's time grows with the square of the
 * brackets, emphasis and deep nesting in a block: a page full of brackets would take minutes.
 */
export function isRenderable(source: string): boolean {
  if (source.length > MAX_MARKDOWN_BYTES) return false
  const cells = source.match(/\|/g)?.length ?? 0
  const blocks = source.split(/\n[ \t]*\n/)
  const squares = blocks.reduce((sum, block) => sum + marksIn(block) ** 2, 0)
  return 8 * source.length + 50 * cells + squares / 30 <= MAX_COST
}

function marksIn(block: string): number {
  const inline = block.match(/[[\]*_~`]/g)?.length ?? 0
  const beginnings = block.match(/^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)]))+/gm) ?? []
  const deep = beginnings.filter((beginning) => beginning.length > USUAL_BEGINNING)
  return deep.reduce((sum, beginning) => sum + beginning.length, inline)
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
