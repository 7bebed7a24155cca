/** What the Lua language server reads in a definition file: its annotations, by their grammar. */

const NAME = /[A-Za-z_][\w.]*\*?/y
const KEY = /(?:[A-Za-z_]\w*|\[(?:string|integer|"[^"\\]*")\])\??/y
const LITERAL = /"[^"\\]*"|-?\d+/y

/** The annotations that are not of the grammar, with the line each. */
export function annotationFaults(text: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    const [, tag, rest = ''] = /^---@(\w+)(.*)$/.exec(line) ?? []
    return tag === undefined || isAnnotation(tag, rest) ? [] : [`${at + 1}: ${line}`]
  })
}

function isAnnotation(tag: string, rest: string): boolean {
  switch (tag) {
    case 'meta':
    case 'deprecated':
      return rest === ''
    case 'class':
      return /^ [A-Za-z_][\w.]*\*?$/.test(rest)
    case 'generic':
      return /^ [A-Z](?:: table)?(?:, [A-Z])*$/.test(rest)
    case 'alias':
      return endsWith(rest, /^ [A-Za-z_][\w.]* /, /^$/)
    case 'type':
      return endsWith(rest, /^ /, /^$/)
    case 'return':
      return endsWith(rest, /^ /, /^(?: (?:\w+|\.\.\.))?$/)
    case 'param':
      return endsWith(rest, /^ (?:\w+\??|\.\.\.) /, /^$/)
    case 'field':
      return endsWith(rest, new RegExp(`^ ${KEY.source} `), /^(?: .*)?$/)
    default:
      return false
  }
}

/** Whether a type follows the start, and the end follows the type. */
function endsWith(text: string, start: RegExp, end: RegExp): boolean {
  const [before] = start.exec(text) ?? []
  if (before === undefined) return false
  const after = typeEnd(text, before.length)
  return after !== null && end.test(text.slice(after))
}

/** Where the type that begins here ends; `null` if there is none. */
function typeEnd(text: string, start: number): number | null {
  let at = unitEnd(text, start)
  while (at !== null && /^ ?\| ?/.test(text.slice(at))) {
    at = unitEnd(text, at + /^ ?\| ?/.exec(text.slice(at))![0].length)
  }
  return at
}

function unitEnd(text: string, start: number): number | null {
  let at = baseEnd(text, start)
  while (at !== null && /^(?:\[\]|\?)/.test(text.slice(at))) at += text[at] === '?' ? 1 : 2
  return at
}

function baseEnd(text: string, at: number): number | null {
  if (text[at] === '(') return closed(text, typeEnd(text, at + 1), ')')
  if (text[at] === '{') return listEnd(text, at + 1, '}', fieldEnd)
  if (text.startsWith('fun(', at)) {
    const params = listEnd(
      text,
      at + 4,
      ')',
      (_, from) => fieldEnd(text, from) ?? matchEnd(NAME, text, from),
    )
    if (params === null || !text.startsWith(': ', params)) return params
    let end = typeEnd(text, params + 2)
    while (end !== null && text.startsWith(', ', end)) end = typeEnd(text, end + 2)
    return end
  }
  const literal = matchEnd(LITERAL, text, at)
  const name = literal ?? matchEnd(NAME, text, at)
  if (name === null || text[name] !== '<') return name
  return listEnd(text, name + 1, '>', typeEnd)
}

/** `key: type`, or `...: type`. */
function fieldEnd(text: string, at: number): number | null {
  const key = text.startsWith('...', at) ? at + 3 : matchEnd(KEY, text, at)
  return key !== null && text.startsWith(': ', key) ? typeEnd(text, key + 2) : null
}

function listEnd(
  text: string,
  start: number,
  close: string,
  item: (text: string, at: number) => number | null,
): number | null {
  let at: number | null = text[start] === ' ' ? start + 1 : start
  for (;;) {
    at = item(text, at)
    if (at === null || !text.startsWith(', ', at)) return closed(text, at, close)
    at += 2
  }
}

function closed(text: string, at: number | null, close: string): number | null {
  if (at === null) return null
  const end = text[at] === ' ' ? at + 1 : at
  return text[end] === close ? end + 1 : null
}

function matchEnd(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found ? at + found[0].length : null
}
