/** The search field: a combobox over an index that is fetched when it is first used. */
import { el, fill } from '../../workbench/page/dom.ts'
import { find, type Hit, type IndexedPage } from './find.ts'

export function addSearchField(place: HTMLElement): void {
  let pages: Promise<readonly IndexedPage[]> | undefined
  let chosen = -1
  const options = () => [...list.querySelectorAll<HTMLAnchorElement>('a')]
  const list = el('div', { class: 'results', id: 'results', role: 'listbox', hidden: true })
  list.setAttribute('aria-label', 'Search results')
  const status = el('p', { class: 'unseen', role: 'status' })
  const field = el('input', {
    type: 'search',
    placeholder: matchMedia('(hover: hover)').matches ? 'Search  (press /)' : 'Search',
    'aria-label': 'Search the documentation',
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-controls': 'results',
    'aria-expanded': 'false',
    autocomplete: 'off',
    spellcheck: 'false',
    on: {
      focus: () => void load().catch(() => undefined),
      input: () => void look(),
      keydown: onKey,
    },
  })

  function load(): Promise<readonly IndexedPage[]> {
    pages ??= fetchIndex(place.dataset.index!)
    pages.catch(() => (pages = undefined))
    return pages
  }

  async function look(): Promise<void> {
    const query = field.value.trim()
    if (query === '') return close()
    const hits = await load().then(
      (index) => find(index, query),
      () => undefined,
    )
    // Typed on meanwhile.
    if (query !== field.value.trim()) return
    show(hits)
  }

  function show(hits: readonly Hit[] | undefined): void {
    const said = hits ? countText(hits.length) : 'The search index could not be loaded.'
    status.textContent = said
    if (hits?.length) fill(list, ...hits.map(optionOf))
    else fill(list, el('p', { class: 'none', role: 'option', 'aria-disabled': true }, said))
    list.hidden = false
    field.setAttribute('aria-expanded', 'true')
    choose(hits?.length ? 0 : -1)
  }

  function close(): void {
    list.hidden = true
    status.textContent = ''
    field.setAttribute('aria-expanded', 'false')
    choose(-1)
  }

  function choose(index: number): void {
    chosen = index
    options().forEach((option, i) => option.setAttribute('aria-selected', String(i === index)))
    const option = options()[index]
    if (!option) return field.removeAttribute('aria-activedescendant')
    field.setAttribute('aria-activedescendant', option.id)
    option.scrollIntoView({ block: 'nearest' })
  }

  function onKey(event: KeyboardEvent): void {
    // Enter ends what an input method composes.
    if (event.isComposing) return
    const { length } = options()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') {
      if (list.hidden) field.value = ''
      close()
    } else if (list.hidden) {
      if (step) void look()
      else return
    } else if (step && length > 0) choose((chosen + step + length) % length)
    else if (event.key === 'Enter') options()[chosen]?.click()
    else return
    event.preventDefault()
  }

  list.addEventListener('click', () => {
    close()
    field.blur()
  })
  document.addEventListener('click', ({ target }) => {
    if (!place.contains(target as Node)) close()
  })
  place.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !place.contains(relatedTarget as Node)) close()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
    if ((event.target as HTMLElement).closest('input, textarea, [contenteditable]')) return
    event.preventDefault()
    field.focus()
    field.select()
  })
  place.append(field, list, status)
}

export async function fetchIndex(address: string): Promise<readonly IndexedPage[]> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return (await response.json()) as IndexedPage[]
}

function countText(count: number): string {
  if (count === 0) return 'Nothing found.'
  return count === 1 ? '1 result' : `${count} results`
}

function optionOf({ href, title, heading, snippet }: Hit, index: number): HTMLElement {
  return el(
    'a',
    { role: 'option', id: `result-${index}`, href, tabindex: -1 },
    el('strong', {}, heading || title, heading && el('span', { class: 'place' }, ` · ${title}`)),
    el('span', { class: 'snippet' }, ...snippet.map(markOdd)),
  )
}

function markOdd(part: string, index: number): Node | string {
  return index % 2 === 1 ? el('mark', {}, part) : part
}
