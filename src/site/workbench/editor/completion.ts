/** Completion for script functions, with signature and summary. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { LUA_FUNCTIONS } from '../../../lua-reference/lua-functions.ts'
import { el } from '../page/dom.ts'

interface Known {
  readonly name: string
  readonly signature: string
  readonly summary: string
}

/** A single letter is probably a variable. */
const MIN_TYPED = 2

const isMethod = ({ name }: Known) => name.includes(':')

/** Library names, and keywords without a function. */
const GLOBALS: readonly Completion[] = [
  ...new Set(
    LUA_FUNCTIONS.filter((known) => !isMethod(known) && known.name.includes('.')).map(
      ({ name }) => name.split('.')[0]!,
    ),
  ),
].map((label) => ({ label, type: 'namespace' }))

const ARGS: Completion = { label: 'args', type: 'variable', info: 'What the caller passed.' }

const FUNCTIONS = LUA_FUNCTIONS.filter((known) => !isMethod(known))
const METHODS = LUA_FUNCTIONS.filter(isMethod)

const TOP: readonly Completion[] = [
  ...FUNCTIONS.map((known) => optionOf(known, known.name)),
  ...GLOBALS,
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
      options: METHODS.map((known) => optionOf(known, ownName(known))),
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
