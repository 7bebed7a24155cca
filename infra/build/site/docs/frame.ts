/** The layout of documentation pages: header, navigation and footer. */
import { VERSION } from '../../../../src/version.ts'
import { escapeHtml } from './html.ts'

/** `main` is HTML. */
export interface DocsPage {
  /** URL path, such as `/docs/lua/io.open`; empty for the page that stands for a missing one. */
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
  /** Sets the chosen theme before the first paint. */
  readonly theme: string
  readonly icon: string
  /** What the search field looks through. */
  readonly index: string
}

type Section = readonly [path: string, title: string, summary: string]

/** Address, title and summary of each page but those of single functions, as in the navigation. */
export const SECTIONS: readonly (readonly [group: string, sections: readonly Section[]])[] = [
  [
    'Start',
    [
      ['/docs', 'Overview', 'What it is, a first run, and all pages.'],
      ['/docs/clients', 'Call it from code', 'curl, TypeScript, Python and generated clients.'],
      ['/docs/agents', 'Connect your agent', 'Entries for MCP hosts and agent frameworks.'],
      ['/docs/command', 'Command line', 'Run scripts on your machine, and use a service.'],
      ['/docs/migrate', 'From local scripts', 'What to change in a script that runs elsewhere.'],
    ],
  ],
  [
    'Scripts',
    [
      ['/docs/scripts', 'Scripts', 'What a script can use, and how it differs from native Lua.'],
      ['/docs/apis', 'Call your APIs', 'OpenAPI specifications and MCP servers as Lua functions.'],
      ['/docs/lua', 'Lua reference', 'Every function, with an example to run.'],
      ['/docs/limits', 'Limits', 'What one run may use.'],
    ],
  ],
  [
    'HTTP and MCP',
    [
      ['/docs/http', 'HTTP', 'How requests, responses and errors work.'],
      ['/docs/runs', 'Long runs', 'Runs in the background: start, wait, watch, stop, webhooks.'],
      ['/docs/files-and-links', 'Files and links', 'Files without a script, links and uploads.'],
      ['/docs/mcp', 'MCP', 'The tools for models, their input and output.'],
      [
        '/docs/api',
        'HTTP reference',
        'Every request with its fields, an example and its response.',
      ],
      ['/docs/errors', 'Errors', 'Every error code and what to do about it.'],
    ],
  ],
  [
    'Operate',
    [
      [
        '/docs/auth',
        'Tokens and tenants',
        'Who is calling, what they may do, whose files they see.',
      ],
      ['/docs/deploy', 'Deploy', 'Workers, Lambda or Node, step by step.'],
      ['/docs/operate', 'Operate', 'Monitoring, secrets, updates, moving files, costs.'],
      ['/docs/settings', 'Settings', 'Environment variables for operators.'],
      ['/docs/architecture', 'Architecture', 'How a request passes through the source.'],
    ],
  ],
]

export function docsFrame(page: DocsPage, assets: DocsAssets): string {
  const { style, script, theme, icon, index } = assets
  const title = page.path === '/docs' ? 'Moonbucket documentation' : `${page.title} · Moonbucket`
  const markdown = markdownPath(page)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(page.description)}">
<link rel="icon" href="${icon}" type="image/svg+xml">
${markdown ? `<link rel="alternate" type="text/markdown" href="${markdown}">\n` : ''}<link rel="stylesheet" href="${style}">
<script src="${theme}"></script>
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="page-header">
<a class="home" href="/docs"><img src="${icon}" alt="" width="28" height="28"> Moonbucket <span>Docs</span></a>
<div class="search" data-index="${index}"></div>
<nav aria-label="Site">
<a href="/">Workbench</a>
<a class="to-openapi" href="/openapi.json">OpenAPI</a>
</nav>
</header>
<div class="columns">
<nav class="navigation" aria-label="Documentation">
<details class="menu">
<summary>All pages</summary>
<div>
${SECTIONS.map(([group, sections]) => navGroup(group, sections, page)).join('\n')}
</div>
</details>
</nav>
<main id="main" tabindex="-1">
${page.main}
</main>
</div>
<footer><p>Moonbucket ${VERSION}${markdown ? ` · <a href="${markdown}">This page as Markdown</a>` : ''} · <a href="/llms.txt">For models</a></p></footer>
</body>
</html>
`
}

/** Where a page is as Markdown; `undefined` for one that has no address of its own. */
function markdownPath({ path }: DocsPage): string | undefined {
  return path === '' ? undefined : `${path}.md`
}

function navGroup(group: string, sections: readonly Section[], page: DocsPage): string {
  return `<p class="group">${group}</p>
<ul>
${sections.map((section) => navItem(section, page)).join('\n')}
</ul>`
}

function navItem([href, text]: Section, { path, contents }: DocsPage): string {
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
  return `<p class="below-title">${escapeHtml(title)}</p><ul class="below">${items.join('')}</ul>`
}
