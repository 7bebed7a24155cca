/** HTML elements of documentation pages, with highlighted code and formatted JSON. */
import { LUA_KEYWORDS } from '../../../../src/sdk/catalog/names.ts'
import { escapeHtml } from '../../../../src/lib/html.ts'
import type { CodeVariant } from '../api/request-code.ts'

export { escapeHtml } from '../../../../src/lib/html.ts'

/** Escapes text and marks backquoted parts as code. */
export function inline(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

/**
 * Code to run or paste, with a copy button; Lua has one that runs it.
 *
 * @param args Of a script.
 */
export function codeBlock(code: string, language: Language, label: string, args?: unknown): string {
  const run = language === 'lua' ? ' data-run' : ''
  const given = args === undefined ? '' : ` data-args="${escapeHtml(JSON.stringify(args))}"`
  return block(code, language, label, ` data-copy${run}${given}`)
}

/** The same in several languages; with a script in the page, only one is shown. */
export function languageTabs(variants: readonly CodeVariant[], label: string): string {
  const panels = variants.map(
    ({ name, language, code }) => `<div data-language="${name}">
<p class="language">${name}</p>
${codeBlock(code, language, `${label} with ${name}`)}
</div>`,
  )
  return `<div class="tabs" data-tabs="${escapeHtml(label)}">
${panels.join('\n')}
</div>`
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

export type Language = 'lua' | 'json' | 'sh' | 'ts' | 'py' | 'toml' | 'text'

const TEXT = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`
const NUMBER = String.raw`\b\d[\d._]*(?:e[+-]?\d+)?\b`

const words = (list: string) => `\\b(?:${list.split(' ').join('|')})\\b`

/** In order: comment, string, keyword, number, key. */
const PATTERNS: Readonly<Record<Exclude<Language, 'text'>, readonly (string | undefined)[]>> = {
  lua: ['--[^\\n]*', TEXT, words(LUA_KEYWORDS), NUMBER],
  json: [undefined, `(?:${TEXT})(?!\\s*:)`, words('true false null'), NUMBER, TEXT],
  sh: ['(?:^|\\s)#[^\\n]*', TEXT, words('curl export claude codex'), undefined],
  ts: [
    '//[^\\n]*',
    `${TEXT}|\`[^\`]*\``,
    words('const let await async function return if throw new for of import from'),
    NUMBER,
  ],
  py: [
    '#[^\\n]*',
    TEXT,
    words('import from as with def return if raise for in None True False print'),
    NUMBER,
  ],
  toml: ['#[^\\n]*', TEXT, '^\\[[^\\]]+\\]', NUMBER],
}

const CLASSES = ['comment', 'string', 'word', 'number', 'key']

/** Returns HTML. */
function highlight(code: string, language: Language): string {
  if (language === 'text') return escapeHtml(code)
  const groups = PATTERNS[language].map((pattern) => `(${pattern ?? '(?!)'})`)
  const pattern = new RegExp(groups.join('|'), 'gm')
  let html = ''
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const kind = CLASSES[match.slice(1).findIndex((group) => group !== undefined)]
    html += escapeHtml(code.slice(end, match.index))
    html += `<span class="${kind}">${escapeHtml(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(end))
}

const WIDTH = 76

export function shownJson(text: string): string {
  return write(JSON.parse(text), '')
}

function write(value: unknown, indent: string): string {
  const short = onOneLine(value)
  if (short.length + indent.length <= WIDTH || typeof value !== 'object' || value === null)
    return short
  const inner = `${indent}  `
  const isArray = Array.isArray(value)
  const parts = isArray
    ? value.map((item) => write(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${write(item, inner)}`)
  const [open, close] = isArray ? '[]' : '{}'
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${onOneLine(item)}`,
  )
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
