/** Worst-case inputs for Markdown parsers, at the maximum rendered size. */
import { MAX_MARKDOWN_BYTES } from '../../src/http/pages/markdown-page.ts'
import { Random } from './random.ts'

/** Repeated to fill the document. */
// prettier-ignore
const PARTS = [
  '[]', ']', '[', '![', '[a](', '[a](<b', '[a](b "', '[a](b (c ', '![[]()', '[a', '[a\n',
  '[a]: b\n', '[a]: b "\n', '[a]: <\n', '[x]: y\n[x]\n', '[a][b]', '[a [b](c) ', '[a`', '[<a',
  '[^1]', '[^a]: b\n', '[^a]: [^a]\n', '[^a]: ', '![a](b)', '[a](b(c', '[`a](b)`', '[a](()',
  'a* ', 'a~', '*_', '_*a', '**a ', '*a_ ', 'a**b', '*a **b ***c ', 'a***b _c__ ~d~~ ', '__a__',
  '`', '``a`', '<', '<a', '<a:', 'a <!-- ', '<![CDATA[', '<a@a.', '&', '&a', '&#', '\\', '\\\n',
  '>', '> > > ', '> a\n\n', '> > a\n> b\n', '> a\nb\n', '- ', '- a\n', '- > a\n', '- > - > a\n',
  '- a\n  - b\n', '- - - - a\n', '* * * * * a\n', '1) 1) 1) 1) 1) 1) x\n', '- a\n* a\n', '-\n\n',
  'a\n=\n', 'a\n=\n\n', 'a\r=\r', 'a\n', 'a  \n', '\n', ' ', '\t', '\t- ', '# a #', '    a\n\n',
  '```\n', '> ```\n\n', '- [ ] a\n', '|', 'a|b\n-|-\n', '|a|\n|', 'a|\n-|-|\n', '|`|', '\\|',
  'www.a_', 'www._', 'www.a.b ', 'http://', 'http://a.b/(', 'a@', 'a@a.a-', 'a.a@a.', 'x@x.x@',
  '*a a@a.[a]: b\n', 'é', '\u{1F600}*', '\0',
]

/** The first fills one half; the second, which closes it, the other. */
const HALVES: readonly (readonly [string, string])[] = [
  ['[', ']'],
  ['[', 'a](b)'],
  ['[', '[a](b)'],
  ['![', '](b)'],
  ['[a](', ')'],
  ['*a ', 'a* '],
  ['**a ', 'a*** '],
  ['*', '_'],
  ['*_', '_*'],
  ['_a __b ', 'a* b** '],
  ['~a ', 'a~~ '],
  ['<', '>'],
]

/** Once at the start, then repeated. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['['.repeat(500), 'a@a.[a]: b\n*a a@a.'],
  ['> '.repeat(500), 'a\n'],
  ['- '.repeat(500), '\n'],
  [`${'- '.repeat(500)}\n`, `${' '.repeat(1000)}a\n`],
  ['> > > > a\n', 'b\n'],
  ['*a '.repeat(4000), 'a** '],
  [`|${'a|'.repeat(1000)}\n|${'-|'.repeat(1000)}\n`, '|\n'],
  [`|${'a|'.repeat(20_000)}\n|${'-|'.repeat(20_000)}\n`, '|\n'],
  [`[a]: ${'x'.repeat(60_000)}\n\n`, '[a]'],
  ['[^a]: x\n\n', '[^a]'],
  ['http://a.b/', ')'],
  ['http://a.b/', '&a;'],
  ['http://a.b/', '?)'],
  ['a', ' '],
  ['# a', ' #'],
  ['', '- '.repeat(200) + 'a\n'],
  ['', '> '.repeat(200) + 'a\n'],
  ['', '[' + 'a'.repeat(900) + '] '],
  ['[a](b "', '\\"'],
]

function counted(write: (number: number) => string): string {
  return Array.from({ length: 10_000 }, (_, number) => write(number)).join('')
}

const COUNTED = [
  counted((number) => '`'.repeat(number % 500) + ' '),
  counted((number) => '`'.repeat(500 - (number % 500)) + 'a'),
  counted((number) => '>'.repeat(number % 500) + 'a\n'),
  counted((number) => ' '.repeat(2 * (number % 300)) + '- a\n'),
  counted((number) => `[a${number}]: b${number}\n`),
  counted((number) => `[^a${number}]: b${number}\n\n[^a${number}] `),
]

/** Pairs of a descriptive name and the text. */
export function hostileMarkdown(bytes = MAX_MARKDOWN_BYTES): (readonly [string, string])[] {
  const filled = (part: string, length: number) => part.repeat(Math.ceil(length / part.length))
  const made = [
    ...PARTS.map((part) => [part, filled(part, bytes)] as const),
    ...HALVES.map(([first, second]) => {
      const opened = filled(first, bytes / 2).slice(0, bytes / 2)
      return [`${first}, ${second}`, opened + filled(second, bytes)] as const
    }),
    ...BEGINNINGS.map(
      ([first, rest]) => [`${first}, ${rest}`, first + filled(rest, bytes)] as const,
    ),
    ...COUNTED.map((text) => [text.slice(0, 60), text] as const),
  ]
  return made.map(([name, text]) => [shownName(name), text.slice(0, bytes)])
}

function shownName(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)
}

const MARKS =
  '[|](|](|)|*|**|_|~|~~|`|``|<|>|!|# |- |+ |1. |&|&amp;|\\|\n|\n\n| |    |\t|a|b |a@a.|www.|http://|[a]: b\n|[^a]|[^a]: |"|:|---\n|===\n|> |.|@|[ ] |\n|-|-|\n|a.b|é|```'.split(
    '|',
  )

/** Repeated random markup; deterministic for a seed. */
export function randomMarkdown(seed: number, bytes = MAX_MARKDOWN_BYTES): string {
  const generator = new Random(seed)
  const random = () => generator.next() / 2 ** 32
  const phrase = () => {
    const length = 1 + Math.floor(random() * random() * 12)
    return Array.from({ length }, () => MARKS[Math.floor(random() * MARKS.length)]).join('') || ' '
  }
  let text = ''
  const phrases = 1 + Math.floor(random() * 4)
  while (text.length < bytes) {
    const part = phrase()
    text += part.repeat(Math.ceil(bytes / phrases / part.length))
  }
  return text.slice(0, bytes)
}
