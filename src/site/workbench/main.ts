/** The workbench: connects the panels. */
import { argsField, scriptPanel } from './editor/script-panel.ts'
import { createEditor } from './editor/editor.ts'
import { exampleBar, EXAMPLES } from './editor/examples.ts'
import { fileBrowser } from './files/file-browser.ts'
import { openPreview } from './files/preview.ts'
import { clientHelp } from './help/client-help.ts'
import { logView } from './output/log-view.ts'
import { outputPanel } from './output/output-panel.ts'
import type { LastRun } from './output/run-state.ts'
import { cell, el } from './page/dom.ts'
import { findDraft, keepDraft } from './page/draft.ts'
import { pageHeader, sectionLinks } from './page/header.ts'
import { runner } from './runner.ts'
import { serviceClient } from './service/client.ts'
import { findLocalToken, tokenSession } from './token/token.ts'
import { tokenStrip } from './token/token-strip.ts'

const token = tokenSession()
const client = serviceClient(token.get)
const run = cell<LastRun>({ phase: 'idle' })
const log = logView()
const draft = findDraft() ?? { script: EXAMPLES[0]!.steps[0]!, args: '' }

const changed = () => {
  keepDraft({ script: editor.text(), args: args.text() })
  examples.refresh(editor.text())
  help.refresh()
}
const args = argsField(draft.args, changed)
const editor = createEditor({ script: draft.script, onChange: changed, onRun: () => void start() })
const examples = exampleBar({ load: editor.replace, undo: editor.undo })
examples.refresh(draft.script)
const help = clientHelp(() => ({
  origin: location.origin,
  script: editor.text(),
  args: args.text(),
}))
const strip = tokenStrip(token, findLocalToken)
const browser = fileBrowser(client, token)
const { start, stop } = runner({ client, run, log, editor, args, needToken: strip.focus })

run.watch(({ phase }) => {
  if (phase !== 'idle' && phase !== 'running') browser.refresh()
})

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
      onRun: () => void start(),
      onStop: stop,
    }),
    outputPanel({
      run,
      client,
      log,
      goToLine: editor.goTo,
      openFile: (path) => openPreview(client, path),
    }),
    browser.element,
    help.element,
  ),
)
