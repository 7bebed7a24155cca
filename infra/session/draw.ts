/** Draws commands and their output as a terminal: SVG text, light or dark as the reader's system. */
import { stripVTControlCharacters } from 'node:util'
import { COLOURS, type Colour } from '../../src/cli/remote/output.ts'
import { escapeHtml } from '../../src/lib/html.ts'
import type { Step } from './play.ts'

const FONT_SIZE = 14
/** Most monospace fonts are 0.6 em wide, some a little less. */
const COLUMN = FONT_SIZE * 0.61
const ROW = 20
const PADDING = 20
const TITLE_BAR = 36

type Palette = Readonly<Record<'paper' | 'bar' | 'edge' | 'text' | Exclude<Colour, 'bold'>, string>>

const LIGHT: Palette = {
  paper: '#ffffff',
  bar: '#eff1f4',
  edge: '#d0d5dc',
  text: '#1f2328',
  dim: '#59636e',
  red: '#c4232b',
  green: '#116329',
  yellow: '#7d4e00',
  blue: '#0550ae',
}

const DARK: Palette = {
  paper: '#12161c',
  bar: '#1d232b',
  edge: '#39414b',
  text: '#e6edf3',
  dim: '#9aa5b1',
  red: '#ff8182',
  green: '#56d364',
  yellow: '#e3b341',
  blue: '#79c0ff',
}

/** Spaces are kept by `xml:space` in old browsers, and by the style in new ones. */
export function drawSession(steps: readonly Step[]): string {
  const lines = steps.flatMap(({ command, output }) => [
    `${painted('green', '$')} ${painted('bold', command)}`,
    ...output.trimEnd().split('\n'),
  ])
  const columns = Math.max(...lines.map((line) => stripVTControlCharacters(line).length))
  const width = Math.ceil(columns * COLUMN) + 2 * PADDING
  const height = TITLE_BAR + lines.length * ROW + 2 * PADDING
  const top = TITLE_BAR + PADDING + FONT_SIZE
  const commands = steps.map(({ command }) => command).join('; ')
  const rows = lines.map(
    (line, row) => `  <text x="${PADDING}" y="${top + row * ROW}">${spans(line)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}"
  height="${height}" role="img" aria-labelledby="title desc" xml:space="preserve">
  <title id="title">The command moonbucket in a terminal</title>
  <desc id="desc">${escapeHtml(`The commands, each with its output: ${commands}`)}</desc>
  <style>
    text { font: ${FONT_SIZE}px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace }
    text { white-space: pre }
    .bold { font-weight: bold }
${rules(LIGHT, '    ')}
    @media (prefers-color-scheme: dark) {
${rules(DARK, '      ')}
    }
  </style>
  <rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
  <path class="bar" d="${barPath(width)}"/>
${rows.join('\n')}
</svg>
`
}

/** The upper part of the window, with three round buttons cut out of it. */
function barPath(width: number): string {
  const corner = 'a7.5 7.5 0 0 1 7.5'
  const bar = `M1 ${TITLE_BAR}V8.5${corner}-7.5H${width - 8.5}${corner} 7.5V${TITLE_BAR}Z`
  const buttons = [0, 1, 2].map((n) => `M${PADDING + n * 20} 18a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z`)
  return [bar, ...buttons].join('')
}

function rules({ paper, bar, edge, text, ...colours }: Palette, indent: string): string {
  return [
    `.paper { fill: ${paper}; stroke: ${edge} }`,
    `.bar { fill: ${bar}; fill-rule: evenodd }`,
    `text { fill: ${text} }`,
    ...Object.entries(colours).map(([name, colour]) => `.${name} { fill: ${colour} }`),
  ]
    .map((rule) => `${indent}${rule}`)
    .join('\n')
}

// oxlint-disable-next-line no-control-regex
const CODE = /\u001B\[(\d+)m/
const END = '\u001B[0m'

function painted(colour: Colour, text: string): string {
  return `\u001B[${COLOURS[colour]}m${text}${END}`
}

/** The command ends each colour before the next. */
function spans(line: string): string {
  return line
    .split(END)
    .map((part) => {
      const [before = '', code, text = ''] = part.split(CODE)
      if (code === undefined) return escapeHtml(before)
      const name = Object.entries(COLOURS).find(([, number]) => String(number) === code)?.[0]
      return `${escapeHtml(before)}<tspan class="${name}">${escapeHtml(text)}</tspan>`
    })
    .join('')
}
