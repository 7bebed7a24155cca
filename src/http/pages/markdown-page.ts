/** The HTML page of a Markdown file. */
import { escapeHtml, escapeName } from '../../lib/html.ts'
import { pageFrame } from './page-frame.ts'

interface MarkdownView {
  readonly name: string
  readonly source: string
  /** Of the service: only its images are shown. */
  readonly origin: string
  readonly sourceHref: string
  readonly downloadHref: string
}

/** Larger documents are shown as source. */
export const MAX_MARKDOWN_BYTES = 128 * 1024

/** In addition to safe rendering: no scripts, no forms, no requests except for our own images. */
export const MARKDOWN_POLICY = [
  'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const STYLE = `
main { max-width: 44rem }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-bottom: 1.5rem;
  padding-bottom: .75rem; border-bottom: 1px solid var(--line) }
header bdi { margin-inline-end: auto; overflow-wrap: anywhere }
article { overflow-wrap: break-word }
article > :first-child { margin-top: 0 }
h1, h2, h3, h4, h5, h6 { margin: 2rem 0 .75rem; line-height: 1.3 }
h1 { margin-bottom: 1rem } h2 { font-size: 1.3125rem } h3 { font-size: 1.125rem }
h4, h5, h6 { font-size: 1rem }
p, ul, ol, pre, blockquote, .wide { margin: 0 0 1rem }
ul, ol { padding-inline-start: 1.75rem }
li > ul, li > ol { margin-bottom: 0 }
li:has(> input) { list-style: none }
li > input { margin: 0 .5rem 0 -1.5rem }
img { max-width: 100%; height: auto }
code { padding: .125em .3em; border-radius: 4px; background: var(--shade); font: .875em/1.5
  ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere }
pre { padding: .875rem 1rem; border-radius: 6px; background: var(--shade); overflow: auto }
pre code { padding: 0; background: none; overflow-wrap: normal }
blockquote { padding-inline-start: 1rem; border-inline-start: 3px solid var(--line);
  color: var(--quiet) }
.wide { overflow: auto }
table { border-collapse: collapse }
th, td { padding: .4rem .75rem; border: 1px solid var(--line) }
th { background: var(--shade) }
th:not([align]) { text-align: start }
hr { margin: 2rem 0; border: 0; border-top: 1px solid var(--line) }
.footnotes { margin-top: 2.5rem; border-top: 1px solid var(--line); font-size: .875rem }
.sr-only { font-size: 1rem }`

/** Titled by the first heading, or by the file name. */
export async function markdownPage({
  name,
  source,
  origin,
  sourceHref,
  downloadHref,
}: MarkdownView): Promise<string> {
  // Lazy: keeps the renderer out of the service's startup.
  const { renderMarkdown } = await import('./markdown/html.ts')
  const { html, title } = renderMarkdown(source, origin)
  return pageFrame({
    title: title ?? escapeName(name),
    main: `<header class="quiet"><bdi>${escapeName(name)}</bdi>
<a href="${escapeHtml(sourceHref)}">Source</a>
<a href="${escapeHtml(downloadHref)}">Download</a></header>
<article>
${html}
</article>`,
    style: STYLE,
  })
}
