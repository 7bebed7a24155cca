/** The script's arguments: an optional JSON field, validated while typing. */
import { el } from '../page/dom.ts'

export interface ArgsField {
  readonly element: HTMLElement
  text(): string
  /** Opens and focuses the field if it is not valid JSON. */
  isValid(): boolean
}

export function argsField(initial: string, onChange: () => void): ArgsField {
  const problem = el('p', { class: 'problem', id: 'args-problem', role: 'status' })
  const area = el('textarea', {
    id: 'args',
    rows: 3,
    spellcheck: 'false',
    placeholder: '{"rows": 10}',
    'aria-describedby': 'args-problem',
  })
  area.value = initial
  const element = el(
    'details',
    { class: 'args', open: initial !== '' },
    el('summary', {}, 'Arguments'),
    el('label', { for: 'args' }, 'JSON, which the script finds in ', el('code', {}, 'args')),
    area,
    problem,
  )

  function check(): boolean {
    const fault = faultOf(area.value)
    problem.textContent = fault ?? ''
    area.setAttribute('aria-invalid', String(fault !== null))
    return fault === null
  }

  area.addEventListener('input', () => {
    check()
    onChange()
  })
  check()
  return {
    element,
    text: () => area.value,
    isValid() {
      if (check()) return true
      element.open = true
      area.focus()
      return false
    },
  }
}

function faultOf(text: string): string | null {
  if (text.trim() === '') return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}
