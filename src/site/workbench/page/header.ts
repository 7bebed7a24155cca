/** The page header: a tagline and links. */
import { el } from './dom.ts'
import { logo } from './logo.ts'
import { themeToggle } from './theme.ts'

export function pageHeader(): HTMLElement {
  return el(
    'header',
    { class: 'page-header' },
    el('div', { class: 'brand' }, logo(), el('h1', {}, 'Moonbucket')),
    el(
      'p',
      { class: 'pitch' },
      'Runs your Lua script in a fresh sandbox at the edge and keeps its files in your own bucket.',
    ),
    el(
      'nav',
      { 'aria-label': 'Documentation' },
      el('a', { href: '#clients', class: 'to-clients' }, 'Use from code'),
      el('a', { href: '/docs' }, 'Docs'),
      el('a', { href: '/openapi.json' }, 'OpenAPI'),
      themeToggle(),
    ),
  )
}

/** Links to the panels, which are stacked on narrow screens. */
export function sectionLinks(): HTMLElement {
  const sections = { script: 'Script', output: 'Output', files: 'Files', clients: 'From code' }
  return el(
    'nav',
    { class: 'sections', 'aria-label': 'Sections' },
    ...Object.entries(sections).map(([id, name]) => el('a', { href: `#${id}` }, name)),
  )
}
