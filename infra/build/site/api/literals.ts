/** JSON values as literals of other languages, on several lines where one would be too long. */

const WIDTH = 76

interface Dialect {
  string(text: string): string
  key(name: string): string
  readonly words: Readonly<Record<string, string>>
  /** What is inside the braces of an object on one line. */
  readonly space: string
  readonly indent: string
}

const JAVASCRIPT: Dialect = {
  string(text) {
    if (isLong(text)) return `\`${text.replaceAll(/[\\`]|\$\{/g, String.raw`\$&`)}\``
    const quoted = JSON.stringify(text)
    return text.includes("'") ? quoted : `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`
  },
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : `'${name}'`),
  words: {},
  space: ' ',
  indent: '  ',
}

const PYTHON: Dialect = {
  string: (text) =>
    isLong(text)
      ? `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', String.raw`\"\"\"`)}"""`
      : JSON.stringify(text),
  key: (name) => JSON.stringify(name),
  words: { true: 'True', false: 'False', null: 'None' },
  space: '',
  indent: '    ',
}

/** A text of several lines is shown as such. */
function isLong(text: string): boolean {
  return text.trimEnd().split('\n').length > 2
}

/** @param indent Of the line on which it begins. */
export function javaScriptLiteral(value: unknown, indent = ''): string {
  return write(value, indent, JAVASCRIPT)
}

/** @param indent Of the line on which it begins. */
export function pythonLiteral(value: unknown, indent = ''): string {
  return write(value, indent, PYTHON)
}

function write(value: unknown, indent: string, dialect: Dialect): string {
  if (typeof value === 'string') return dialect.string(value)
  if (typeof value !== 'object' || value === null) {
    const word = JSON.stringify(value)
    return dialect.words[word] ?? word
  }
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', dialect.space]
  const parts = (inner: string) =>
    Array.isArray(value)
      ? value.map((item) => write(item, inner, dialect))
      : Object.entries(value).map(
          ([name, item]) => `${dialect.key(name)}: ${write(item, inner, dialect)}`,
        )
  const line = open + space + parts(indent).join(', ') + space + close
  if (!line.includes('\n') && indent.length + line.length <= WIDTH) return line
  const inner = indent + dialect.indent
  const lines = parts(inner).map((part) => `${inner}${part},\n`)
  return `${open}\n${lines.join('')}${indent}${close}`
}
