/** The workbench: connects the panels. */
import { argsField, scriptPanel } from './editor/script-panel.ts'
import { createEditor } from './editor/editor.ts'
import { exampleBar, EXAMPLES } from './editor/examples.ts'
import { linkOf, MAX_LINK_LENGTH, scriptIn } from './editor/share-link.ts'
import { syntaxCheck } from './editor/syntax-check.ts'
import { fileBrowser } from './files/file-browser.ts'
import { clientHelp } from './help/client-help.ts'
import { openHistory } from './history/history-dialog.ts'
import { runHistory } from './history/run-history.ts'
import { logView } from './output/log-view.ts'
import { outputPanel } from './output/output-panel.ts'
import type { LastRun } from './output/run-state.ts'
import { button, cell, el } from './page/dom.ts'
import { findDraft, keepDraft, type ScriptDraft } from './page/draft.ts'
import { pageHeader, sectionLinks } from './page/header.ts'
import { runner } from './runner.ts'
import { openRuns } from './runs/runs-dialog.ts'
import { findShownRun } from './runs/shown-run.ts'
import { savedScripts } from './saved/saved-scripts.ts'
import { serviceClient } from './service/client.ts'
import { findLocalToken, tokenSession } from './token/token.ts'
import { tokenNotice, tokenProblem } from './token/token-problem.ts'
import { tokenStrip } from './token/token-strip.ts'

const token = tokenSession()
const { problem, refuse } = tokenProblem(token)
const client = serviceClient(token.get, refuse)
const run = cell<LastRun>({ phase: 'idle' })
const log = logView()
const history = runHistory()
const draft = findDraft() ?? { script: EXAMPLES[0]!.steps[0]!, args: '' }

const current = (): ScriptDraft => ({ script: editor.text(), args: args.text() })
const changed = () => {
  keepDraft(current())
  examples.refresh(editor.text())
  help.refresh()
}
const args = argsField(draft.args, changed)
const editor = createEditor({
  script: draft.script,
  onChange(script) {
    changed()
    syntax.later(script)
  },
  onRun: () => void start(),
})
const syntax = syntaxCheck(editor.mark)
const examples = exampleBar({ load: editor.replace, undo: editor.undo })
examples.refresh(draft.script)
const help = clientHelp(() => ({ origin: location.origin, ...current() }))
const strip = tokenStrip({ token, problem, findLocalToken })
const browser = fileBrowser(client, token)
const runs = runner({
  client,
  run,
  log,
  editor,
  args,
  history,
  onStart: syntax.cancel,
  tell: examples.tell,
})
const { start } = runs
const saved = savedScripts({
  client,
  script: editor.text,
  load: (script, from) => load({ script, args: '' }, from),
  run: (name, given) => void runs.startSaved({ saved: name, args: given }),
  tell: examples.tell,
  onSaved: browser.refresh,
})

run.watch((state) => {
  if (state.phase !== 'idle' && state.phase !== 'running') browser.refresh()
  if (state.phase === 'failed' && token.get() === '') strip.replace()
})

/** Replaces script and arguments; what was there stays in the history. */
function load({ script, args: given }: ScriptDraft, from: string): void {
  const before = current()
  const isExample = EXAMPLES.some(({ steps }) => steps.includes(before.script))
  const isOwn = before.args !== '' || (!isExample && before.script.trim() !== '')
  const isReplaced = before.script !== script || before.args !== given
  if (isOwn && isReplaced) history.setAside(before)
  args.replace(given)
  examples.choose(script, from)
}

/** A script in the URL is shown, never run. */
function loadLinked(): void {
  const script = scriptIn(location.hash)
  if (script === null) return
  // Otherwise a reload would bring it back over later edits.
  window.history.replaceState(null, '', location.pathname)
  if (script === undefined) examples.tell('The link is damaged or too long: it has no script.')
  else load({ script, args: '' }, 'From a link. Read it before you run it.')
}
addEventListener('hashchange', loadLinked)
loadLinked()

function listBackgroundRuns(): void {
  const open = (id: string) => void runs.open(id)
  openRuns({ client, history, open, stop: runs.stopInBackground })
}

async function linkToScript(): Promise<string> {
  const link = linkOf(editor.text(), location)
  if (link !== null) return link
  examples.tell(
    `Too long for a link, which has at most ${MAX_LINK_LENGTH} characters. Save it as a file and share that.`,
  )
  throw new Error('too long')
}

document.body.prepend(
  el('a', { class: 'skip', href: '#script' }, 'Skip to the script'),
  pageHeader(),
  strip.element,
  sectionLinks(),
  el(
    'main',
    {},
    scriptPanel({
      run,
      examples,
      editor: editor.element,
      args: args.element,
      notice: tokenNotice(problem, strip.replace),
      saved: [
        button('Save', () => void saved.save(), {
          class: 'quiet',
          'aria-label': 'Save the script',
        }),
        button('Saved', saved.open, { class: 'quiet', 'aria-label': 'Saved scripts' }),
      ],
      runs: button('Runs', listBackgroundRuns, {
        class: 'quiet',
        'aria-label': 'Background runs',
      }),
      onRun: () => void start(),
      onRunInBackground: () => void runs.startInBackground(),
      onStop: () => void runs.stop(),
      onHistory: () => openHistory(history, (past) => load(past, 'From the history.')),
      linkToScript,
    }),
    outputPanel({
      run,
      client,
      log,
      goToLine: editor.goTo,
      replaceToken: strip.replace,
      openFile: browser.openFile,
    }),
    browser.element,
    help.element,
  ),
)

/** After a reload, or with another token. */
function showAgain(): void {
  const id = findShownRun()
  if (id !== null) void runs.open(id)
}
if (token.get() !== '') showAgain()
token.onChange(showAgain)
