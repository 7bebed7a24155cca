/** What a report is stored as: its title and content in one document. */
import { pageStyle } from './report-style.ts'

/** The title as heading, unless the content begins with the same one. */
export function markdownReport(title: string, content: string): string {
  const heading = `# ${escapeMarkdown(oneLine(title))}`
  const first = /^\s*# +(.*?)(?: +#+)?[ \t]*(?:\r?\n|$)/.exec(content)?.[1]
  const isThere =
    first !== undefined && [oneLine(title), escapeMarkdown(oneLine(title))].includes(first)
  return isThere ? content : `${heading}\n\n${content}`
}

/** A whole document keeps everything and gets the title if it has none; a fragment gets a page around it. */
export function htmlReport(title: string, content: string): string {
  const name = escapeText(oneLine(title))
  return isDocument(content) ? withTitle(content, name) : wrapped(content, name)
}

function oneLine(title: string): string {
  return title.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** What would be read as markup in a heading; a `#` only at its end. */
function escapeMarkdown(title: string): string {
  return title.replaceAll(/[\\`*_~[\]<]|&(?=[#\w]+;)|#(?=#*$)/g, String.raw`\$&`)
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Comments and a byte order mark may come first. */
const START = /^\ufeff?(?:\s|<!--[^]*?-->)*<(?:!doctype\b|html\b|head\b|body\b)/i

function isDocument(html: string): boolean {
  return START.test(html)
}

/** Looked for in the head only: drawings have titles too. */
function withTitle(html: string, name: string): string {
  const end = /<\/head\s*>|<body\b/i.exec(html)?.index ?? html.length
  const head = html.slice(0, end)
  if (/<title\b/i.test(head)) return html
  const opening =
    /<head\b[^>]*>/i.exec(head) ?? /<html\b[^>]*>/i.exec(head) ?? /<!doctype\b[^>]*>/i.exec(head)
  const at = opening ? opening.index + opening[0].length : 0
  return `${html.slice(0, at)}<title>${name}</title>${html.slice(at)}`
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
