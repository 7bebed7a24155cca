/** Shows one language of an example at a time: the last chosen one, on all pages. */
import { button, el } from '../../workbench/page/dom.ts'

const KEY = 'moonbucket.language'

interface Tabs {
  readonly list: HTMLElement
  show(language: string): void
}

/** Call once: a choice changes all examples of the page. */
export function addLanguageTabs(groups: Iterable<HTMLElement>): void {
  const all = Array.from(groups, (group, index) => tabsOf(group, index, choose))
  const kept = readChoice()
  for (const tabs of all) tabs.show(kept)
  // Another language than the first may have moved what the address names.
  if (kept !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView()

  function choose(language: string, tabs: Tabs): void {
    keepChoice(language)
    // Examples above may change their height: what was clicked stays where it is.
    const before = tabs.list.getBoundingClientRect().top
    for (const each of all) each.show(language)
    const moved = tabs.list.getBoundingClientRect().top - before
    if (moved !== 0) scrollBy({ top: moved, behavior: 'instant' })
  }
}

function tabsOf(
  group: HTMLElement,
  index: number,
  choose: (language: string, tabs: Tabs) => void,
): Tabs {
  const panels = [...group.querySelectorAll<HTMLElement>(':scope > [data-language]')]
  const languages = panels.map(({ dataset }) => dataset.language!)
  const buttons = panels.map((panel, i) => {
    panel.id = `example-${index}-${i}`
    panel.role = 'tabpanel'
    panel.querySelector('.language')!.remove()
    panel.setAttribute('aria-label', languages[i]!)
    return button(languages[i]!, () => choose(languages[i]!, tabs), {
      role: 'tab',
      'aria-controls': panel.id,
    })
  })
  const list = el('div', { class: 'tab-list', role: 'tablist' }, ...buttons)
  list.setAttribute('aria-label', `${group.dataset.tabs}: language`)
  const tabs: Tabs = {
    list,
    show(language) {
      const shown = Math.max(0, languages.indexOf(language))
      panels.forEach((panel, i) => (panel.hidden = i !== shown))
      buttons.forEach((each, i) => {
        each.ariaSelected = String(i === shown)
        each.tabIndex = i === shown ? 0 : -1
      })
    },
  }
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = buttons.indexOf(event.target as HTMLButtonElement) + step
    const target = buttons.at(next % buttons.length)!
    target.focus({ preventScroll: true })
    target.click()
  })
  group.prepend(list)
  group.dataset.ready = ''
  return tabs
}

function readChoice(): string {
  try {
    return localStorage.getItem(KEY) ?? ''
  } catch {
    // Storage is forbidden: the first language it is.
    return ''
  }
}

function keepChoice(language: string): void {
  try {
    localStorage.setItem(KEY, language)
  } catch {
    // Storage is full or forbidden: chosen for this page only.
  }
}
