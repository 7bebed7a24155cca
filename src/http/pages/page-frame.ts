/** The common HTML frame of all pages, without scripts or external resources. */
import { escapeHtml } from '../../lib/html.ts'

/** All are HTML: untrusted text in them must be escaped already. */
interface PageContent {
  readonly title: string
  readonly main: string
  readonly style?: string
}

const STRICTEST = {
  'default-src': "'none'",
  'style-src': "'unsafe-inline'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/** @param allowed Directives beyond inline styles, such as the service's own images. */
export function pagePolicy(allowed: Readonly<Record<string, string>> = {}): string {
  const directives = Object.entries({ ...STRICTEST, ...allowed })
  return directives.map(([name, sources]) => `${name} ${sources}`).join('; ')
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --quiet: #5c636b; --line: #d9dde2; --ground: #fff;
  --shade: #f5f6f8; --link: #0b57b8 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --quiet: #a3abb4; --line: #373d44;
  --ground: #15181b; --shade: #1f2327; --link: #86b9ff } }
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui,
  -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
main { max-width: 52rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem }
h1 { margin: 0 0 1rem; font-size: 1.625rem; line-height: 1.25; overflow-wrap: anywhere }
p { overflow-wrap: anywhere }
a { color: var(--link); text-underline-offset: .15em }
a:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px;
  border-radius: 3px }
.quiet { color: var(--quiet); font-size: .875rem }
@media (max-width: 34rem) { main { padding: 1.5rem 1rem 2.5rem } h1 { font-size: 1.375rem } }`

/** A complete document. */
export function pageFrame({ title, main, style = '' }: PageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}${style}
</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`
}

/** Shown when a link does not open, or at a wrong address; escapes both texts. */
export function errorPage(title: string, message: string): string {
  const heading = escapeHtml(title)
  return pageFrame({
    title: heading,
    main: `<h1>${heading}</h1>
<p>${escapeHtml(message)}</p>
<p><a href="/">Start page</a> · <a href="/docs">Documentation</a></p>`,
    style: '\nmain { max-width: 36rem; padding-top: 15vh }',
  })
}
