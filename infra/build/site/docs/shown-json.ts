/** Formats JSON for reading: short values on one line, others indented. */

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
