/** The panel to edit and run a script, with its arguments. */
import { button, copyButton, el, panel, type Cell, type Child } from '../page/dom.ts'
import type { ExampleBar } from './examples.ts'
import { statusText, type LastRun } from '../output/run-state.ts'

interface ScriptPanelParts {
  readonly run: Cell<LastRun>
  readonly examples: Pick<ExampleBar, 'choices' | 'about'>
  readonly editor: Child
  readonly args: Child
  /** What is wrong with the token, if anything. */
  readonly notice: Child
  /** Opens the list of background runs. */
  readonly runs: Child
  /** Save the script, and list saved ones. */
  readonly saved: readonly Child[]
  onRun(): void
  onRunInBackground(): void
  onStop(): void
  onHistory(): void
  /** @throws if there is none. */
  linkToScript(): Promise<string>
}

const isMac = /Mac|iP(?:hone|ad)/.test(navigator.userAgent)

export function scriptPanel(parts: ScriptPanelParts): HTMLElement {
  const { run, examples, editor, args, notice } = parts
  const start = button('Run', parts.onRun, { class: 'primary run' })
  const stop = button('Stop', parts.onStop, { class: 'stop' })
  const startInBackground = button('Run in background', parts.onRunInBackground, {
    class: 'background',
    title: 'It goes on when you close this page',
  })
  const outcome = el('a', { class: 'to-output', href: '#output' })
  run.watch((state) => {
    const isRunning = state.phase === 'running'
    // Also while one starts in the background: its button keeps the focus.
    const mayStart = !isRunning || state.background !== undefined
    const hadFocus = document.activeElement
    // Fixed positions: nothing moves under the pointer.
    start.disabled = !mayStart
    startInBackground.disabled = !mayStart
    stop.disabled = !isRunning || state.background === 'starting'
    if (hadFocus === stop && stop.disabled) start.focus()
    else if (start.disabled && (hadFocus === start || hadFocus === startInBackground)) stop.focus()
    outcome.textContent = `${statusText(state)} ↓`
    outcome.hidden = state.phase === 'idle'
  })
  return panel(
    { id: 'script', title: 'Script' },
    examples.choices,
    el(
      'div',
      { class: 'about-row' },
      examples.about,
      ...parts.saved,
      parts.runs,
      button('History', parts.onHistory, { class: 'quiet' }),
      copyButton('Copy link', parts.linkToScript, { 'aria-label': 'Copy link to this script' }),
    ),
    editor,
    args,
    el(
      'div',
      { class: 'run-bar' },
      start,
      stop,
      startInBackground,
      // On narrow screens the output is below.
      outcome,
      notice,
      el(
        'p',
        { class: 'hint keys' },
        el('kbd', {}, isMac ? '⌘' : 'Ctrl'),
        el('kbd', {}, 'Enter'),
        ' runs it. ',
        el('kbd', {}, 'Esc'),
        ' then ',
        el('kbd', {}, 'Tab'),
        ' leaves the editor.',
      ),
    ),
  )
}

export type ArgsField = ReturnType<typeof argsField>

export function argsField(initial: string, onChange: () => void) {
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
    el('label', { for: 'args' }, 'JSON that the script reads from ', el('code', {}, 'args')),
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
    replace(text: string) {
      area.value = text
      element.open ||= text !== ''
      check()
    },
    /** Opens and focuses the field if it is not valid JSON. */
    isValid(): boolean {
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
