/** HTML elements of documentation pages. */
import { escapeHtml } from '../../../../src/lib/html.ts'
import { highlight, type Language } from './highlight.ts'

export { escapeHtml } from '../../../../src/lib/html.ts'

/** Escapes text and marks backquoted parts as code. */
export function inline(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

/** Code to run or paste, with a copy button. */
export function codeBlock(code: string, language: Language, label: string): string {
  return block(code, language, label, ' data-copy')
}

/** Output, without a copy button. */
export function answerBlock(text: string, language: Language, label: string): string {
  return block(text, language, label, '')
}

/** Preformatted text, such as diagrams. */
export function drawing(text: string, label: string): string {
  return `<div class="code drawing">
<pre tabindex="0" role="region" aria-label="${escapeHtml(label)}"><code>${escapeHtml(text)}</code></pre>
</div>`
}

function block(code: string, language: Language, label: string, mark: string): string {
  const html = highlight(code.replace(/\n$/, ''), language)
  return `<div class="code ${language}"${mark}>
<pre tabindex="0" role="region" aria-label="${escapeHtml(label)}"><code>${html}</code></pre>
</div>`
}

/**
 * Explicit roles: narrow screens show rows as blocks, and browsers then drop the table semantics.
 *
 * @param rows Cells are HTML.
 */
export function table(caption: string, head: readonly string[], rows: readonly string[][]): string {
  const headings = head.map((cell) => `<th scope="col" role="columnheader">${cell}</th>`).join('')
  const body = rows.map(([first, ...rest]) => {
    const cells = rest.map(
      (cell, i) => `<td role="cell" data-label="${escapeHtml(head[i + 1] ?? '')}">${cell}</td>`,
    )
    return `<tr role="row"><th scope="row" role="rowheader">${first}</th>${cells.join('')}</tr>`
  })
  return `<div class="table">
<table role="table" aria-label="${escapeHtml(caption)}">
<thead role="rowgroup"><tr role="row">${headings}</tr></thead>
<tbody role="rowgroup">
${body.join('\n')}
</tbody>
</table>
</div>`
}

/** URL fragment for a heading. */
export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** A heading with a link to itself. */
export function heading(level: 2 | 3 | 4, text: string, id = anchorOf(text)): string {
  return `<h${level} id="${id}"><a href="#${id}">${inline(text)}</a></h${level}>`
}
