/** Parses a search query in plain words. */
import { isStopWord, stemOf, wordsOf } from './words.ts'

/** A query word and its synonyms. */
export interface QueryWord {
  readonly stems: readonly string[]
  /** Earlier words matter more. */
  readonly weight: number
}

export interface Query {
  readonly words: readonly QueryWord[]
  /** Implied words: raise the score of a match, but match nothing alone. */
  readonly implied: readonly QueryWord[]
  /** HTTP methods that fit; empty if unclear. */
  readonly methods: readonly string[]
}

const PREPOSITIONS = new Set('about at by for from in into of on onto to with within'.split(' '))
const ARTICLES = new Set('a an another new on some the this'.split(' '))

const READS = ['GET', 'HEAD']
const CREATES = ['POST', 'PUT']
const UPDATES = ['PATCH', 'PUT', 'POST']
const DELETES = ['DELETE']
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Verb → HTTP methods and synonyms. */
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

/** Synonyms of nouns. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
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

/** Words replaced by others. */
const REPLACEMENTS: Readonly<Record<string, readonly string[]>> = {
  logged: ['authenticated'],
  mine: ['authenticated'],
  my: ['authenticated'],
  myself: ['authenticated'],
  who: ['people', 'user', 'member'],
  whom: ['people', 'user', 'member'],
}

/** Implied by a plural. */
const IMPLIED_LIST: QueryWord = { stems: ['list', 'get'], weight: 0.8 }

/** Weight of words after a preposition. */
const AFTER_PREPOSITION = 0.6

export function parseQuery(text: string): Query {
  const all = wordsOf(text)
  const first = all.findIndex((word) => !isStopWord(word))
  const words = new Map<string, QueryWord>()
  let weight = 1
  all.forEach((word, at) => {
    if (PREPOSITIONS.has(word) && at > first) weight = AFTER_PREPOSITION
    const meant = own(REPLACEMENTS, word)
    if (meant) words.set(word, { stems: meant.map(stemOf), weight: AFTER_PREPOSITION })
    if (meant || isStopWord(word) || words.has(stemOf(word))) return
    const [, ...verbs] = own(VERBS, word) ?? []
    const opens = isOpening(all, at) ? ['create'] : []
    const also = [...verbs, ...opens, ...(own(SYNONYMS, stemOf(word)) ?? own(SYNONYMS, word) ?? [])]
    words.set(stemOf(word), { stems: [word, ...also].map(stemOf), weight })
  })
  const methods = methodsOf(all, first)
  const implied = methods === READS && !own(VERBS, all[first]!) ? [IMPLIED_LIST] : []
  return { words: [...words.values()], implied, methods }
}

function methodsOf(words: readonly string[], first: number): readonly string[] {
  if (isOpening(words, first)) return CREATES
  const verb = words[words[first] === 'open' ? first + 1 : first]
  if (verb === undefined) return []
  const known = own(VERBS, verb)
  if (known) return known[0]
  // "Fork a repo" writes; "commits on a branch" and "who starred it" read.
  const isPlural = stemOf(verb) !== verb && verb.endsWith('s')
  const asks = /^(?:who|whom|whose|which|what|where|when|how (?:many|much))\b/.test(words.join(' '))
  if (isPlural || asks) return READS
  return ARTICLES.has(words[first + 1] ?? '') ? WRITES : []
}

/** "Open a ticket" creates one; "open tickets" are those not closed. */
function isOpening(words: readonly string[], at: number): boolean {
  return words[at] === 'open' && ARTICLES.has(words[at + 1] ?? '')
}

function own<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
