/** Light or dark: the system's, unless the user chose one. */
import { button } from './dom.ts'

type Theme = 'light' | 'dark'

const KEY = 'moonbucket.theme'

/** Runs before the first paint; without a choice the style sheet follows the system. */
export function applyKeptTheme(): void {
  const kept = localStorage.getItem(KEY)
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept
}

/** Choosing the system's theme follows the system again. */
export function themeToggle(): HTMLButtonElement {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const systemTheme = (): Theme => (system.matches ? 'dark' : 'light')
  const current = () => document.documentElement.dataset.theme ?? systemTheme()
  const name = () => {
    toggle.textContent = current() === 'dark' ? 'Light' : 'Dark'
    toggle.setAttribute('aria-label', `Use the ${current() === 'dark' ? 'light' : 'dark'} theme`)
  }
  const toggle = button('Theme', () => {
    const next = current() === 'dark' ? 'light' : 'dark'
    if (next === systemTheme()) {
      delete document.documentElement.dataset.theme
      localStorage.removeItem(KEY)
    } else {
      document.documentElement.dataset.theme = next
      localStorage.setItem(KEY, next)
    }
    name()
  })
  toggle.className = 'quiet theme'
  system.addEventListener('change', name)
  name()
  return toggle
}
