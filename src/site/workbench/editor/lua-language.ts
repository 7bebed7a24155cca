/** Lua 5.4 highlighting and indentation. */
import { LanguageSupport, StreamLanguage, type StringStream } from '@codemirror/language'
import { LUA_FUNCTIONS } from '../../../lua-reference/lua-functions.ts'

const KEYWORDS = new Set(
  (
    'and break do else elseif end for function goto if in local not or repeat return then until ' +
    'while'
  ).split(' '),
)
const ATOMS = new Set(['nil', 'true', 'false'])
const NAMES = LUA_FUNCTIONS.map(({ name }) => name)
const GLOBALS = new Set(
  NAMES.filter((name) => !name.includes(':'))
    .map((name) => name.split('.')[0]!)
    .concat('args', 'sdk'),
)
const MEMBERS = new Set(NAMES)
const METHODS = new Set(NAMES.map((name) => name.split(':')[1]))

const OPENING = /^(?:do|else|function|repeat|then|\{|\(|\[)$/
const CLOSING = /^(?:end|else|elseif|until|\}|\)|\])$/

interface LuaState {
  /** The closing bracket of a multi-line string or comment. */
  until: string | null
  style: 'comment' | 'string'
  depth: number
}

function token(stream: StringStream, state: LuaState): string | null {
  if (state.until !== null) return readLong(stream, state)
  if (stream.eatSpace()) return null
  if (stream.match('--')) {
    if (openLong(stream, state, 'comment')) return readLong(stream, state)
    stream.skipToEnd()
    return 'comment'
  }
  if (openLong(stream, state, 'string')) return readLong(stream, state)
  if (stream.match(/^(["'])(?:\\.|(?!\1)[^\\])*(?:\1|\\?$)/)) return 'string'
  if (stream.match(/^(?:0[xX][\da-fA-F.]+(?:[pP][+-]?\d+)?|\.?\d[\d.]*(?:[eE][+-]?\d+)?)/)) {
    return 'number'
  }
  if (stream.match(/^<(?:const|close)>/)) return 'modifier'
  const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null
  if (word) return readWord(word[0], stream, state)
  const char = stream.next()!
  count(char, state)
  return /[+\-*/%^#=<>~&|.]/.test(char) ? 'operator' : null
}

function readWord(word: string, stream: StringStream, state: LuaState): string {
  count(word, state)
  if (KEYWORDS.has(word)) return 'keyword'
  if (ATOMS.has(word)) return 'atom'
  const before = stream.string.slice(0, stream.start)
  const [, owner, mark] = /(\w*)([.:])\s*$/.exec(before.endsWith('..') ? '' : before) ?? []
  if (mark === undefined) return GLOBALS.has(word) ? 'variableName.standard' : 'variableName'
  const isKnown = mark === ':' ? METHODS.has(word) : MEMBERS.has(`${owner}.${word}`)
  return isKnown ? 'variableName.standard' : 'propertyName'
}

function openLong(stream: StringStream, state: LuaState, style: LuaState['style']): boolean {
  const open = stream.match(/^\[(=*)\[/) as RegExpMatchArray | null
  if (open) Object.assign(state, { until: `]${open[1]}]`, style })
  return open !== null
}

function readLong(stream: StringStream, state: LuaState): string {
  const end = stream.string.indexOf(state.until!, stream.pos)
  if (end < 0) stream.skipToEnd()
  else {
    stream.pos = end + state.until!.length
    state.until = null
  }
  return state.style
}

/** `elseif` closes the block that its `then` reopens. */
function count(word: string, state: LuaState): void {
  if (CLOSING.test(word)) state.depth -= 1
  if (OPENING.test(word)) state.depth += 1
}

const language = StreamLanguage.define<LuaState>({
  name: 'lua',
  startState: () => ({ until: null, style: 'string', depth: 0 }),
  copyState: (state) => ({ ...state }),
  token,
  indent({ until, depth }, textAfter, { unit }) {
    if (until !== null) return null
    const [first = ''] = /^(?:\w+|\S)/.exec(textAfter) ?? []
    return Math.max(0, depth - (CLOSING.test(first) ? 1 : 0)) * unit
  },
  languageData: {
    commentTokens: { line: '--', block: { open: '--[[', close: ']]' } },
    indentOnInput: /^\s*(?:end|else|elseif|until|\}|\)|\])$/,
    closeBrackets: { brackets: ['(', '[', '{', '"', "'"] },
  },
})

export function lua(): LanguageSupport {
  return new LanguageSupport(language)
}
