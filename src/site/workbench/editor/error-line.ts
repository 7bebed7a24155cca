/** Marks the failing line until the script is edited or run. */
import { StateEffect, StateField, type Extension } from '@codemirror/state'
import {
  Decoration,
  EditorView,
  gutterLineClass,
  GutterMarker,
  type DecorationSet,
} from '@codemirror/view'
import { RangeSet } from '@codemirror/state'

/** From 1, or `null` to clear. */
export const markLine = StateEffect.define<number | null>()

const line = Decoration.line({ class: 'cm-error-line' })

class ErrorGutter extends GutterMarker {
  override elementClass = 'cm-error-gutter'
}
const gutterMark = new ErrorGutter()

const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(markLine)) continue
      const { doc } = transaction.state
      if (effect.value === null || effect.value > doc.lines) return Decoration.none
      return Decoration.set(line.range(doc.line(effect.value).from))
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

export function errorLine(): Extension {
  return marked
}
