/** The layout of documentation pages: header, navigation and footer. */
import { VERSION } from '../../../../src/version.ts'
import { escapeHtml } from './html.ts'

/** `main` is HTML. */
export interface DocsPage {
  /** URL path, such as `/docs/lua/io.open`. */
  readonly path: string
  readonly title: string
  /** One sentence of plain text, for search engines and previews. */
  readonly description: string
  readonly main: string
  /** Table of contents, for long pages. */
  readonly contents?: readonly Contents[]
}

export interface Contents {
  readonly title: string
  readonly links: readonly { readonly href: string; readonly text: string }[]
}

/** Content-hashed names. */
export interface DocsAssets {
  readonly style: string
  readonly script: string
  readonly icon: string
}

/** Address, title and summary; the overview first. */
export const SECTIONS = [
  ['/docs', 'Overview', 'All pages.'],
  ['/docs/clients', 'Clients', 'curl, TypeScript and Python, and entries for MCP hosts.'],
  ['/docs/mcp', 'MCP', 'The tools for models, their input and output.'],
  ['/docs/scripts', 'Scripts', 'What a script can use, and how it differs from native Lua.'],
  ['/docs/migrate', 'From local scripts', 'What to change in a script that runs elsewhere.'],
  ['/docs/lua', 'Lua reference', 'Every function, with an example that tests run.'],
  ['/docs/apis', 'Call your APIs', 'OpenAPI specifications and MCP servers as Lua functions.'],
  ['/docs/files-and-links', 'Files and links', 'Files without a script, links and uploads.'],
  ['/docs/http', 'HTTP', 'How requests, responses and errors work.'],
  ['/docs/api', 'HTTP reference', 'Every request with its fields, an example and its response.'],
  ['/docs/errors', 'Errors', 'Every error code and what to do about it.'],
  ['/docs/limits', 'Limits', 'What one run may use.'],
  ['/docs/auth', 'Authentication', 'Tokens, scopes, tenants and users.'],
  ['/docs/settings', 'Settings', 'Environment variables for operators.'],
  ['/docs/deploy', 'Deploy', 'Workers, Lambda or Node, step by step.'],
  ['/docs/operate', 'Operate', 'Monitoring, secrets, updates, moving files, costs.'],
  ['/docs/command', 'Command line', 'Run scripts locally, without a server.'],
  ['/docs/architecture', 'Architecture', 'How a request passes through the source.'],
] as const

export function docsFrame(page: DocsPage, { style, script, icon }: DocsAssets): string {
  const title = page.path === '/docs' ? 'Moonbucket documentation' : `${page.title} · Moonbucket`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(page.description)}">
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="home" href="/docs"><img src="${icon}" alt="" width="24" height="24"> Moonbucket</a>
<a href="/">Workbench</a>
<a href="/openapi.json">OpenAPI</a>
</header>
<div class="columns">
<nav aria-label="Documentation">
<ul>
${SECTIONS.map((section) => navItem(section, page)).join('\n')}
</ul>
</nav>
<main id="main" tabindex="-1">
${page.main}
</main>
</div>
<footer><p>Moonbucket ${VERSION}</p></footer>
</body>
</html>
`
}

function navItem([href, text]: (typeof SECTIONS)[number], { path, contents }: DocsPage): string {
  const isHere = path === href
  const isAbove = href !== '/docs' && path.startsWith(`${href}/`)
  const mark = isHere ? ' aria-current="page"' : isAbove ? ' aria-current="true"' : ''
  const below =
    (isHere || isAbove) && contents
      ? contents.map((list) => contentsList(list, path)).join('\n')
      : ''
  return `<li><a href="${href}"${mark}>${text}</a>${below}</li>`
}

function contentsList({ title, links }: Contents, path: string): string {
  const items = links.map(({ href, text }) => {
    const mark = href === path ? ' aria-current="page"' : ''
    return `<li><a href="${href}"${mark}>${escapeHtml(text)}</a></li>`
  })
  return `<p class="group">${escapeHtml(title)}</p><ul class="below">${items.join('')}</ul>`
}
