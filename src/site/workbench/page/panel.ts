/** A part of the page with a heading of its own. */
import { el, type Child } from './dom.ts'

/** How a panel is found, styled and named. */
export interface PanelName {
  readonly id: string
  /** Where its style has another name. */
  readonly style?: string
  readonly title: string
}

/** @param beside What stands next to the heading. */
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
