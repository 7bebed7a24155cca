/** Chooses the columns of a table. */
import { el } from '../page/dom.ts'

/** @param shown Positions, to begin with. */
export function columnChoice(
  names: readonly string[],
  shown: readonly number[],
  onChange: (shown: readonly number[]) => void,
): HTMLElement {
  const boxes = names.map((_, i) =>
    el('input', { type: 'checkbox', checked: shown.includes(i), on: { change: apply } }),
  )
  function apply(): void {
    const chosen = [...boxes.keys()].filter((i) => boxes[i]!.checked)
    onChange(chosen)
    // One column stays: without any there would be nothing to see.
    for (const [i, box] of boxes.entries()) box.disabled = chosen.length === 1 && chosen[0] === i
  }
  return el(
    'details',
    { class: 'column-choice' },
    el('summary', {}, 'Columns'),
    el(
      'fieldset',
      {},
      el('legend', { class: 'spoken' }, 'Columns to show'),
      ...names.map((name, i) => el('label', {}, boxes[i], name || `Column ${i + 1}`)),
    ),
  )
}
