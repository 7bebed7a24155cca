/** The page header: a tagline and links. */
import { el } from './dom.ts'
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

const SVG = 'http://www.w3.org/2000/svg'

const SHAPES = [
  ['circle', { class: 'moon', cx: '16', cy: '12', r: '9' }],
  ['circle', { class: 'crater', cx: '13', cy: '9', r: '2' }],
  ['circle', { class: 'crater', cx: '19.5', cy: '11.5', r: '1.4' }],
  ['path', { class: 'bucket', d: 'M3.5 15.5h25l-3.2 14H6.7z' }],
] as const

function logo(): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  for (const [name, value] of Object.entries({
    viewBox: '0 0 32 32',
    class: 'logo',
    'aria-hidden': 'true',
  })) {
    svg.setAttribute(name, value)
  }
  for (const [tag, attributes] of SHAPES) {
    const shape = document.createElementNS(SVG, tag)
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value)
    svg.append(shape)
  }
  return svg
}
