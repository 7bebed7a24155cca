/** Syntax highlighting with one pattern per language: comments, strings, keywords and numbers. */
import { escapeHtml } from '../../../../src/lib/html.ts'

export type Language = 'lua' | 'json' | 'sh' | 'ts' | 'py' | 'toml' | 'text'

const TEXT = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`
const NUMBER = String.raw`\b\d[\d._]*(?:e[+-]?\d+)?\b`

const words = (list: string) => `\\b(?:${list.split(' ').join('|')})\\b`

/** In order: comment, string, keyword, number, key. */
const PATTERNS: Readonly<Record<Exclude<Language, 'text'>, readonly (string | undefined)[]>> = {
  lua: [
    '--[^\\n]*',
    TEXT,
    words(
      'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
    ),
    NUMBER,
  ],
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
export function highlight(code: string, language: Language): string {
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
