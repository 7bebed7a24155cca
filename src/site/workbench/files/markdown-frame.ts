/** Renders Markdown as the service's own pages do, in a frame where no script runs. */
import { escapeHtml } from '../../../lib/html.ts'
import { el } from '../page/dom.ts'

export async function markdownFrame(path: string, source: string): Promise<HTMLElement> {
  // Later: the page itself does without.
  const { renderMarkdown } = await import('../../../http/pages/markdown/html.ts')
  const { html } = renderMarkdown(source, location.origin)
  return el('iframe', {
    class: 'markdown-frame',
    title: path,
    // The same origin, for the style sheet; without scripts that gives the content nothing.
    sandbox: 'allow-same-origin allow-popups allow-popups-to-escape-sandbox',
    srcdoc: pageOf(html),
  })
}

/** The frame inherits this page's policy. */
function pageOf(html: string): string {
  const { href } = document.querySelector<HTMLLinkElement>('link[rel=stylesheet]')!
  const { theme = '' } = document.documentElement.dataset
  // Text is escaped in the rendered HTML, so this finds only its links.
  const outward = html.replaceAll('<a href="http', '<a target="_blank" rel="noopener" href="http')
  return `<!doctype html>
<html lang="en" data-theme="${escapeHtml(theme)}">
<head><meta charset="utf-8"><link rel="stylesheet" href="${escapeHtml(href)}"></head>
<body class="markdown">${outward}</body>
</html>`
}
