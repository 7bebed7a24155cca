/** Lua in the editor: highlighting, indentation and completion. */
import { LanguageSupport, StreamLanguage, type StringStream } from '@codemirror/language'
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { isLuaKeyword } from '../../../sdk/catalog/names.ts'
import { LUA_FUNCTIONS } from '../../../lua-reference/lua-functions.ts'
import { el } from '../page/dom.ts'

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
  if (ATOMS.has(word)) return 'atom'
  if (isLuaKeyword(word)) return 'keyword'
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

interface Known {
  readonly name: string
  readonly signature: string
  readonly summary: string
}

/** A single letter is probably a variable. */
const MIN_TYPED = 2

const isMethod = ({ name }: Known) => name.includes(':')

/** Library names, and keywords without a function. */
const LIBRARIES: readonly Completion[] = [
  ...new Set(
    LUA_FUNCTIONS.filter((known) => !isMethod(known) && known.name.includes('.')).map(
      ({ name }) => name.split('.')[0]!,
    ),
  ),
].map((label) => ({ label, type: 'namespace' }))

const ARGS: Completion = { label: 'args', type: 'variable', info: 'What the caller passed.' }

const FUNCTIONS = LUA_FUNCTIONS.filter((known) => !isMethod(known))
const FILE_METHODS = LUA_FUNCTIONS.filter(isMethod)

const TOP: readonly Completion[] = [
  ...FUNCTIONS.map((known) => optionOf(known, known.name)),
  ...LIBRARIES,
  ARGS,
]

/** Functions after `io.`, file methods after a colon, else everything. */
export function completeLua(context: CompletionContext): CompletionResult | null {
  const before = context.matchBefore(/[\w.:]*/)
  if (!before || isInText(context)) return null
  const [, space, mark] = /^(?:.*?)(\w+)?([.:])\w*$/.exec(before.text) ?? []
  if (mark === ':') {
    const from = before.from + before.text.lastIndexOf(':') + 1
    return {
      from,
      options: FILE_METHODS.map((known) => optionOf(known, ownName(known))),
      validFor: /^\w*$/,
    }
  }
  if (mark === '.') {
    const members = FUNCTIONS.filter(({ name }) => name.startsWith(`${space}.`))
    const from = before.from + before.text.lastIndexOf('.') + 1
    const options = members.map((known) => optionOf(known, ownName(known)))
    return options.length === 0 ? null : { from, options, validFor: /^\w*$/ }
  }
  if (before.text.length < MIN_TYPED && !context.explicit) return null
  // Prefix matches only: Enter after `end` must insert a newline.
  const options = TOP.filter(({ label }) => label.startsWith(before.text) && label !== before.text)
  return options.length === 0 ? null : { from: before.from, options, filter: false }
}

function ownName({ name }: Known): string {
  return name.slice(name.search(/[.:]/) + 1)
}

function optionOf({ signature, summary }: Known, label: string): Completion {
  const parameters = /\(.*$/s.exec(signature)?.[0] ?? ''
  return {
    label,
    detail: parameters,
    type: 'function',
    info: () => el('div', {}, el('code', { class: 'signature' }, signature), el('p', {}, summary)),
  }
}

/** No completion inside strings and comments. */
function isInText({ state, pos }: CompletionContext): boolean {
  const line = state.doc.lineAt(pos)
  const before = line.text.slice(0, pos - line.from)
  const withoutStrings = before.replaceAll(/(["'])(?:\\.|(?!\1).)*\1/g, '')
  return /--|["']/.test(withoutStrings)
}
