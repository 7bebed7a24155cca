/** What a question in plain words asks for. */
import { isTelling, stemOf, wordsOf } from './words.ts'

/** A word of a question, with what else APIs may call it. */
export interface WantedWord {
  readonly stems: readonly string[]
  /** What comes first in a question matters most. */
  readonly weight: number
}

/** What somebody wants. */
export interface Question {
  readonly words: readonly WantedWord[]
  /** What it does not say but means: makes a fitting function fit better, and no other one fit. */
  readonly implied: readonly WantedWord[]
  /** Methods of HTTP that would do it; empty when nobody can tell. */
  readonly methods: readonly string[]
}

const PREPOSITIONS = new Set('about at by for from in into of on onto to with within'.split(' '))
const ARTICLES = new Set('a an another new on some the this'.split(' '))

const READS = ['GET', 'HEAD']
const CREATES = ['POST', 'PUT']
const UPDATES = ['PATCH', 'PUT', 'POST']
const DELETES = ['DELETE']
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE']

/** What people say, what APIs say instead, and how it is done. */
const VERBS: Readonly<Record<string, readonly [methods: readonly string[], ...also: string[]]>> = {
  add: [CREATES, 'create'],
  all: [READS, 'list'],
  change: [UPDATES, 'update'],
  close: [UPDATES, 'update'],
  create: [CREATES, 'add'],
  delete: [DELETES, 'remove'],
  destroy: [DELETES, 'delete'],
  download: [READS, 'get'],
  edit: [UPDATES, 'update'],
  fetch: [READS, 'get'],
  find: [READS, 'search', 'list'],
  get: [READS, 'read'],
  insert: [CREATES, 'create', 'add'],
  list: [READS],
  make: [CREATES, 'create'],
  modify: [UPDATES, 'update'],
  new: [CREATES, 'create'],
  post: [CREATES, 'create'],
  read: [READS, 'get'],
  remove: [DELETES, 'delete'],
  rename: [UPDATES, 'update'],
  replace: [UPDATES, 'update'],
  retrieve: [READS, 'get', 'read'],
  search: [READS, 'list'],
  see: [READS, 'get', 'list'],
  send: [CREATES, 'create'],
  set: [UPDATES, 'update', 'replace'],
  show: [READS, 'get', 'list'],
  start: [WRITES, 'create', 'run', 'dispatch'],
  stop: [WRITES, 'cancel', 'delete'],
  trigger: [WRITES, 'dispatch', 'run', 'start'],
  update: [UPDATES, 'replace', 'patch', 'edit'],
  upload: [CREATES, 'create', 'add'],
  view: [READS, 'get'],
}

/** Other words for things. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  configuration: ['config'],
  config: ['configuration'],
  current: ['authenticated'],
  env: ['environment'],
  org: ['organization'],
  organization: ['org'],
  people: ['user', 'member'],
  person: ['user'],
  pr: ['pull'],
  repo: ['repository'],
  repository: ['repo'],
  somebody: ['user', 'member'],
  someone: ['user', 'member'],
}

/** Words that mean something else altogether. */
const MEANS: Readonly<Record<string, readonly string[]>> = {
  logged: ['authenticated'],
  mine: ['authenticated'],
  my: ['authenticated'],
  myself: ['authenticated'],
  who: ['people', 'user', 'member'],
  whom: ['people', 'user', 'member'],
}

/** What somebody asks for who asks for several things. */
const SEVERAL: WantedWord = { stems: ['list', 'get'], weight: 0.8 }

/** How much less what comes behind a preposition matters. */
const BEHIND = 0.6

export function parseQuestion(text: string): Question {
  const all = wordsOf(text)
  const first = all.findIndex(isTelling)
  const words = new Map<string, WantedWord>()
  let weight = 1
  all.forEach((word, at) => {
    if (PREPOSITIONS.has(word) && at > first) weight = BEHIND
    const meant = own(MEANS, word)
    if (meant) words.set(word, { stems: meant.map(stemOf), weight: BEHIND })
    if (meant || !isTelling(word) || words.has(stemOf(word))) return
    const [, ...verbs] = own(VERBS, word) ?? []
    const opens = isOpening(all, at) ? ['create'] : []
    const also = [...verbs, ...opens, ...(own(ALSO, stemOf(word)) ?? own(ALSO, word) ?? [])]
    words.set(stemOf(word), { stems: [word, ...also].map(stemOf), weight })
  })
  const methods = methodsOf(all, first)
  const implied = methods === READS && !own(VERBS, all[first]!) ? [SEVERAL] : []
  return { words: [...words.values()], implied, methods }
}

function methodsOf(words: readonly string[], first: number): readonly string[] {
  if (isOpening(words, first)) return CREATES
  const verb = words[words[first] === 'open' ? first + 1 : first]
  if (verb === undefined) return []
  const known = own(VERBS, verb)
  if (known) return known[0]
  // "Fork a repo" is to be done; "commits on a branch" and "who starred it" are to be read.
  const isPlural = stemOf(verb) !== verb && verb.endsWith('s')
  const asks = /^(?:who|whom|whose|which|what|where|when|how (?:many|much))\b/.test(words.join(' '))
  if (isPlural || asks) return READS
  return ARTICLES.has(words[first + 1] ?? '') ? WRITES : []
}

/** "Open a ticket" asks for a new one, "open tickets" for those that are not closed. */
function isOpening(words: readonly string[], at: number): boolean {
  return words[at] === 'open' && ARTICLES.has(words[at + 1] ?? '')
}

function own<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
