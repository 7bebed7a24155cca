/**
 * Runs Lua examples in the page, with the token that the workbench of this tab or the local server
 * has. Without one, leads to the workbench with the script in the fragment.
 */
import type { RunAnswer } from '../../../operations/run/run-answer.ts'
import { button, el } from '../../workbench/page/dom.ts'
import { findLocalToken, isOver, tokenSession } from '../../workbench/token/token.ts'
import { buttonsOf, codeOf, labelOf } from './copy-button.ts'
import { showOutcome, type Outcome } from './run-output.ts'

export function addRunButton(block: HTMLElement): void {
  const mayRun = keptToken() !== undefined || isLocal()
  buttonsOf(block).prepend(mayRun ? runButton(block) : workbenchLink(block))
}

function keptToken(): string | undefined {
  try {
    const kept = tokenSession().get()
    return kept === '' || isOver(kept) ? undefined : kept
  } catch {
    // Storage is forbidden.
    return undefined
  }
}

/** Only a server on this machine has a token for its pages. */
function isLocal(): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
}

function workbenchLink(block: HTMLElement): HTMLAnchorElement {
  const link = el('a', { class: 'run', href: workbenchAddress(block) }, 'Run')
  link.setAttribute('aria-label', `Run in the workbench: ${labelOf(block)}`)
  return link
}

function workbenchAddress(block: HTMLElement): string {
  const { args } = block.dataset
  // The fragment has no place for arguments.
  const given = args === undefined ? '' : `args = args or json.decode(${JSON.stringify(args)})\n`
  return `/#script=${encodeURIComponent(given + codeOf(block))}`
}

function runButton(block: HTMLElement): HTMLButtonElement {
  let running: AbortController | undefined
  const label = labelOf(block)
  const name = (word: string) => {
    run.textContent = word
    run.setAttribute('aria-label', `${word}: ${label}`)
  }
  async function start(): Promise<void> {
    running = new AbortController()
    name('Stop')
    const token = keptToken() ?? (await findLocalToken())
    if (token === null) location.assign(workbenchAddress(block))
    else showOutcome(block, await execute(block, token, running.signal))
    running = undefined
    name('Run')
  }
  const run = button('Run', () => (running ? running.abort() : void start()), { class: 'run' })
  name('Run')
  return run
}

async function execute(block: HTMLElement, token: string, signal: AbortSignal): Promise<Outcome> {
  const { args } = block.dataset
  const given = args === undefined ? '' : `,"args":${args}`
  try {
    const response = await fetch('/execute', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: `{"script":${JSON.stringify(codeOf(block))}${given}}`,
      signal,
    })
    const body = (await response.json()) as RunAnswer | { error: { message: string } }
    return response.ok
      ? { answer: body as RunAnswer }
      : { failure: (body as { error: { message: string } }).error.message }
  } catch {
    return { failure: signal.aborted ? 'Stopped.' : 'The service cannot be reached.' }
  }
}
