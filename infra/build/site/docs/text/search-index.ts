/** What the search field looks through: the text of each page, by its headings. */
import type { IndexedPage, IndexedSection } from '../../../../../src/site/docs/search/find.ts'
import type { DocsPage } from '../frame.ts'
import { elementsIn, hasClass, textOf, type HtmlElement } from './html-tree.ts'

/** @param main The content of the page. */
export function indexedPage(page: DocsPage, main: HtmlElement): IndexedPage {
  const sections: [anchor: string, heading: string, words: string[]][] = [['', '', []]]
  visit(main, (element) => {
    if (element.tag === 'h2' || element.tag === 'h3') {
      sections.push([element.attributes.id ?? '', plain(element), []])
      return true
    }
    // Code, types and the errors of a request are the same on many pages.
    if (element.tag === 'h1' || hasClass(element, 'crumbs') || hasClass(element, 'tabs'))
      return true
    if (hasClass(element, 'code') || hasClass(element, 'quiet')) return true
    if (element.attributes['data-label'] === 'Type') return true
    if (!TEXTS.has(element.tag)) return false
    sections.at(-1)![2].push(plain(element))
    return true
  })
  // A page that begins with a heading is found by its title too.
  if (sections[0]![2].length === 0) sections[0]![2].push(page.description)
  const indexed = sections.map(([anchor, heading, words]): IndexedSection => {
    return [anchor, heading, words.filter((text) => text !== '').join(' ')]
  })
  return [page.path, page.title, indexed]
}

/** Their text is one sentence or cell. */
const TEXTS = new Set(['p', 'h4', 'td', 'th', 'code'])

/** @param look Returns whether to stay out of the element. */
function visit(parent: HtmlElement, look: (element: HtmlElement) => boolean): void {
  for (const element of elementsIn(parent)) {
    // What the first column holds is worth finding; the other titles are always the same.
    if (element.tag === 'thead') look(elementsIn(elementsIn(element)[0]!)[0]!)
    else if (element.tag === 'li' && !elementsIn(element).some(({ tag }) => tag === 'p')) {
      look({ ...element, tag: 'p' })
    } else if (!look(element)) visit(element, look)
  }
}

function plain(element: HtmlElement): string {
  return textOf(element).replaceAll(/\s+/g, ' ').trim()
}
