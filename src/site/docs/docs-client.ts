/** Client script of the docs. Pages are complete without it: it adds what needs a browser. */
import { PLACEHOLDER_ORIGIN } from '../placeholder-origin.ts'
import { themeToggle } from '../workbench/page/theme.ts'
import { addCopyButton } from './examples/copy-button.ts'
import { addLanguageTabs } from './examples/language-tabs.ts'
import { addRunButton } from './examples/run-button.ts'
import { addSearchField } from './search/search-field.ts'
import { suggestPages } from './search/suggest-pages.ts'

const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)]

document.querySelector('.page-header nav')!.append(themeToggle())
const search = document.querySelector<HTMLElement>('.search')!
addSearchField(search)
showOwnAddress(document.body)
addLanguageTabs(all('[data-tabs]'))
all('[data-copy]').forEach(addCopyButton)
all('[data-run]').forEach(addRunButton)
openMenuWhereWide()
void suggestPages(search.dataset.index!)

/** Styles show it there anyway; this is for what goes by its state. */
function openMenuWhereWide(): void {
  const wide = matchMedia('(min-width: 52.01rem)')
  const menu = document.querySelector<HTMLDetailsElement>('.menu')!
  const follow = () => (menu.open = wide.matches)
  wide.addEventListener('change', follow)
  follow()
}

function showOwnAddress(root: Node): void {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode as Text
    if (text.data.includes(PLACEHOLDER_ORIGIN)) {
      text.data = text.data.replaceAll(PLACEHOLDER_ORIGIN, location.origin)
    }
  }
}
