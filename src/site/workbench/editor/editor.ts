/** The script editor, in a shadow root: there styles are sheets, which the CSP allows. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from '@codemirror/commands'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { EditorState, Prec, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { completeLua } from './completion.ts'
import { errorLine, markLine } from './error-line.ts'
import { lua } from './lua-language.ts'
import { theme } from './theme.ts'

/** Longer than the editor's two seconds, so that slow keyboard users can leave it. */
const LEAVING_MS = 20_000

const LABEL =
  'Lua script. Control or Command and Enter runs it. Escape, then Tab leaves the editor.'

export interface EditorOptions {
  readonly script: string
  onChange(script: string): void
  onRun(): void
}

export interface Editor {
  readonly element: HTMLElement
  text(): string
  /** One undo step. */
  replace(script: string): void
  undo(): void
  mark(line: number | null): void
  /** Moves the cursor and focuses. */
  goTo(line: number): void
}

export function createEditor(options: EditorOptions): Editor {
  const element = document.createElement('div')
  element.className = 'editor-host'
  const root = element.attachShadow({ mode: 'open' })
  const state = EditorState.create({ doc: options.script, extensions: extensionsOf(options) })
  const view = new EditorView({ root, parent: root, state })
  return {
    element,
    text: () => view.state.doc.toString(),
    replace(text) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: 0 },
        scrollIntoView: true,
        userEvent: 'input.example',
      })
    },
    undo() {
      undo(view)
      view.focus()
    },
    mark: (line) => view.dispatch({ effects: markLine.of(line) }),
    goTo(line) {
      const { doc } = view.state
      const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines))
      const effects = EditorView.scrollIntoView(from, { y: 'center' })
      view.dispatch({ selection: { anchor: from }, effects })
      view.focus()
    },
  }
}

function extensionsOf({ onChange, onRun }: EditorOptions): Extension {
  return [
    keys(onRun),
    lineNumbers(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    indentUnit.of('  '),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ override: [completeLua] }),
    lua(),
    theme,
    errorLine(),
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': LABEL }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString())
    }),
  ]
}

function keys(onRun: () => void): Extension {
  const run = () => {
    onRun()
    return true
  }
  const letTabLeave = (view: EditorView) => {
    view.setTabFocusMode(LEAVING_MS)
    return true
  }
  return [
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      { key: 'Escape', run: letTabLeave },
      ...defaultKeymap,
      ...historyKeymap,
      indentWithTab,
    ]),
  ]
}
