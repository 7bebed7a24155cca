/** On the page that stands for a missing one: what the address may have meant. */
import { el, fill } from '../../workbench/page/dom.ts'
import { find } from './find.ts'
import { fetchIndex } from './search-field.ts'

export async function suggestPages(index: string): Promise<void> {
  const place = document.querySelector<HTMLElement>('[data-suggest]')
  if (!place) return
  const last = location.pathname.split('/').filter(Boolean).at(-1)!
  const words = last.replaceAll(/\.(?:md|html)$|%[\dA-F]{2}|[^\w.]/gi, ' ').replaceAll('_', ' ')
  const hits = find(await fetchIndex(index), words).slice(0, 5)
  if (hits.length === 0) return
  const items = hits.map(({ href, title, heading }) =>
    el('li', {}, el('a', { href }, heading ? `${title}: ${heading}` : title)),
  )
  fill(place, el('h2', {}, 'Did you mean'), el('ul', {}, ...items))
}
