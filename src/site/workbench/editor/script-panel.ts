/** The panel to edit and run a script. */
import type { Cell } from '../page/cell.ts'
import { button, el, type Child } from '../page/dom.ts'
import { panel } from '../page/panel.ts'
import type { ExampleBar } from '../examples/example-bar.ts'
import type { RunState } from '../output/run-state.ts'
import { statusText } from '../output/status-line.ts'

export interface ScriptPanelParts {
  readonly run: Cell<RunState>
  readonly examples: Pick<ExampleBar, 'choices' | 'about'>
  readonly editor: Child
  readonly args: Child
  onRun(): void
  onStop(): void
}

const isMac = /Mac|iP(?:hone|ad)/.test(navigator.userAgent)

export function scriptPanel({ run, examples, editor, args, onRun, onStop }: ScriptPanelParts) {
  const start = button('Run', onRun, { class: 'primary run' })
  const stop = button('Stop', onStop, { class: 'stop' })
  const outcome = el('a', { class: 'to-output', href: '#output' })
  run.watch((state) => {
    const isRunning = state.phase === 'running'
    const hadFocus = document.activeElement === (isRunning ? start : stop)
    // Fixed positions: nothing moves under the pointer.
    start.disabled = isRunning
    stop.disabled = !isRunning
    if (hadFocus) (isRunning ? stop : start).focus()
    outcome.textContent = `${statusText(state)} ↓`
    outcome.hidden = state.phase === 'idle'
  })
  return panel(
    { id: 'script', title: 'Script' },
    examples.choices,
    examples.about,
    editor,
    args,
    el(
      'div',
      { class: 'run-bar' },
      start,
      stop,
      // On narrow screens the output is below.
      outcome,
      el(
        'p',
        { class: 'hint' },
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
