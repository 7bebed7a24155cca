/** The script editor, in a shadow root: there styles are sheets, which the CSP allows. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from '@codemirror/commands'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import {
  EditorState,
  Prec,
  StateEffect,
  StateField,
  RangeSet,
  type Extension,
} from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  Decoration,
  gutterLineClass,
  GutterMarker,
  type DecorationSet,
} from '@codemirror/view'
import { completeLua, lua } from './lua-language.ts'
import type { LineFault } from './syntax-check.ts'
import { theme } from './theme.ts'

/** Longer than the editor's two seconds, so that slow keyboard users can leave it. */
const LEAVING_MS = 20_000

const LABEL =
  'Lua script. Control or Command and Enter runs it. Escape, then Tab leaves the editor.'

interface EditorOptions {
  readonly script: string
  onChange(script: string): void
  onRun(): void
}

export type Editor = ReturnType<typeof createEditor>

export function createEditor(options: EditorOptions) {
  const element = document.createElement('div')
  element.className = 'editor-host'
  const root = element.attachShadow({ mode: 'open' })
  const state = EditorState.create({ doc: options.script, extensions: extensionsOf(options) })
  const view = new EditorView({ root, parent: root, state })
  return {
    element,
    text: () => view.state.doc.toString(),
    /** One undo step. */
    replace(text: string) {
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
    /** Shows what is wrong in a line. */
    mark: (fault: LineFault | null) => view.dispatch({ effects: markLine.of(fault) }),
    /** Moves the cursor and focuses. */
    goTo(line: number) {
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
    errorLine,
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

/** `null` clears. */
const markLine = StateEffect.define<LineFault | null>()

/** The style sheet shows the message after the line, where it is no part of the text. */
function lineMark(message: string): Decoration {
  const attributes = { 'data-message': message.replace(/^script:\d+: /, '').split('\n', 1)[0]! }
  return Decoration.line({ class: 'cm-error-line', attributes })
}

class ErrorGutter extends GutterMarker {
  override elementClass = 'cm-error-gutter'
}
const gutterMark = new ErrorGutter()

/** Marks the faulty line until the script is edited or run. */
const errorLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(markLine)) continue
      const { doc } = transaction.state
      const fault = effect.value
      if (fault === null || fault.line > doc.lines) return Decoration.none
      return Decoration.set(lineMark(fault.message).range(doc.line(fault.line).from))
    }
    return transaction.docChanged ? Decoration.none : marks
  },
  provide: (field) => [
    EditorView.decorations.from(field),
    gutterLineClass.compute([field], (state) => {
      const places: number[] = []
      state.field(field).between(0, state.doc.length, (from) => void places.push(from))
      return RangeSet.of(places.map((from) => gutterMark.range(from)))
    }),
  ],
})
