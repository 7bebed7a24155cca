/** A page section with a heading. */
import { el, type Child } from './dom.ts'

export interface PanelName {
  readonly id: string
  /** CSS class, if not the id. */
  readonly style?: string
  readonly title: string
}

/** @param beside Shown next to the heading. */
export function panel(
  { id, style = id, title }: PanelName,
  beside: Child,
  ...content: readonly Child[]
): HTMLElement {
  const titleId = `${id}-title`
  return el(
    'section',
    { class: `panel ${style}`, id, 'aria-labelledby': titleId },
    el('div', { class: 'panel-head' }, el('h2', { id: titleId }, title), beside),
    ...content,
  )
}
