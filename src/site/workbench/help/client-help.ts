/** Snippets to run this script from other clients. */
import { copyButton } from '../page/clipboard.ts'
import { button, el } from '../page/dom.ts'
import { panel } from '../page/panel.ts'
import { snippets, type SnippetInput } from './snippets.ts'

export interface ClientHelp {
  readonly element: HTMLElement
  /** Call when the script or arguments changed. */
  refresh(): void
}

/** @param inputOf Called when a snippet is shown or copied. */
export function clientHelp(inputOf: () => SnippetInput): ClientHelp {
  let chosen = 0
  const current = () => snippets(inputOf())[chosen]!
  const about = el('p', { class: 'hint' })
  const code = el('pre', { class: 'snippet', tabindex: 0, 'aria-label': 'Snippet' })
  const tabs = snippets(inputOf()).map(({ title }, i) =>
    button(title, () => choose(i), {
      role: 'tab',
      id: `client-${i}`,
      'aria-controls': 'client-panel',
    }),
  )
  const shown = el(
    'div',
    { class: 'snippet-panel', id: 'client-panel', role: 'tabpanel' },
    el(
      'div',
      { class: 'snippet-head' },
      about,
      copyButton('Copy', () => current().text),
    ),
    code,
  )

  function choose(index: number): void {
    chosen = index
    tabs.forEach((tab, i) => {
      tab.setAttribute('aria-selected', String(i === index))
      tab.tabIndex = i === index ? 0 : -1
    })
    shown.setAttribute('aria-labelledby', `client-${index}`)
    refresh()
  }

  function refresh(): void {
    const snippet = current()
    about.textContent = snippet.about
    code.textContent = snippet.text
  }

  const list = el('div', { role: 'tablist', 'aria-label': 'Clients', class: 'chips' }, ...tabs)
  list.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
    if (step === undefined) return
    choose((chosen + step + tabs.length) % tabs.length)
    tabs[chosen]!.focus()
  })
  choose(0)
  return {
    element: panel({ id: 'clients', title: 'Run it from your own code' }, list, shown),
    refresh,
  }
}
