/** Builds the stored document from a report's title and content. */
import { escapeHtml } from '../../lib/html.ts'

/** Adds the title as a heading, unless the content starts with it. */
export function markdownReport(title: string, content: string): string {
  const heading = `# ${escapeMarkdown(oneLine(title))}`
  const first = firstHeading(content)
  const isThere =
    first !== undefined && [oneLine(title), escapeMarkdown(oneLine(title))].includes(first)
  return isThere ? content : `${heading}\n\n${content}`
}

/** Adds the title to a document that has none, and wraps a fragment in a page. */
export function htmlReport(title: string, content: string): string {
  const name = escapeHtml(oneLine(title))
  return isDocument(content) ? withTitle(content, name) : wrapped(content, name)
}

/** A level-1 heading, without closing `#`s. Not a regex: that would be slow on long lines. */
function firstHeading(content: string): string | undefined {
  const text = content.trimStart()
  if (!text.startsWith('# ')) return undefined
  const end = text.indexOf('\n')
  const line = text.slice(2, end === -1 ? text.length : end).trim()
  let length = line.length
  while (line[length - 1] === '#') length -= 1
  const isClosed = length < line.length && line[length - 1] === ' '
  return isClosed ? line.slice(0, length).trimEnd() : line
}

function oneLine(title: string): string {
  return title.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** Escapes what is markup in a heading; `#` only at the end. */
function escapeMarkdown(title: string): string {
  return title.replaceAll(/[\\`*_~[\]<]|&(?=[#\w]+;)|#(?=#*$)/g, String.raw`\$&`)
}

/** Comments and a byte order mark may come first. */
function isDocument(html: string): boolean {
  let at = nextText(html, 0)
  while (html.startsWith('<!--', at)) {
    const end = html.indexOf('-->', at + '<!--'.length)
    if (end === -1) return false
    at = nextText(html, end + '-->'.length)
  }
  return /^<(?:!doctype|html|head|body)\b/i.test(html.slice(at, at + 16))
}

/** `\s` includes the byte order mark. */
function nextText(html: string, from: number): number {
  const blanks = /\s*/y
  blanks.lastIndex = from
  blanks.test(html)
  return blanks.lastIndex
}

/** Searches the head only: SVG has titles too. */
function withTitle(html: string, name: string): string {
  const end = /<\/head\b|<body\b/i.exec(html)?.index ?? html.length
  const head = html.slice(0, end)
  if (/<title\b/i.test(head)) return html
  const at = endOf(/<head\b/i, head) ?? endOf(/<html\b/i, head) ?? endOf(/<!doctype\b/i, head) ?? 0
  return `${html.slice(0, at)}<title>${name}</title>${html.slice(at)}`
}

/** The end of the first matching tag, if it is closed. */
function endOf(beginning: RegExp, html: string): number | undefined {
  const start = beginning.exec(html)?.index
  const end = start === undefined ? -1 : html.indexOf('>', start)
  return end === -1 ? undefined : end + 1
}

function wrapped(fragment: string, name: string): string {
  const heading = /<h1\b/i.test(fragment) ? '' : `<h1>${name}</h1>\n`
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>${pageStyle}
</style>
</head>
<body>
${heading}${fragment}
</body>
</html>
`
}

/** Styles elements only: class names belong to the fragment. */
const pageStyle = `
:root { color-scheme: light dark }
body { max-width: 48rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; font: 1rem/1.6 system-ui,
  -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: break-word }
h1, h2, h3, h4 { line-height: 1.3 }
img, svg, video { max-width: 100%; height: auto }
table { border-collapse: collapse }
th, td { padding: .4rem .75rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent);
  text-align: start }
pre { padding: .875rem 1rem; overflow: auto; border-radius: 6px;
  background: color-mix(in srgb, currentColor 7%, transparent) }
code { font-size: .875em; font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace }`
