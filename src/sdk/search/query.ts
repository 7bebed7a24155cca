/** Parses a search query in plain words; splits and stems words. */

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

/** Stop words. */
const STOP_WORDS = new Set(
  'a about am an and any api are as at be been by can could do does for from had has have how i if in into is it its many me much need not of on onto or our please s so some such that the their them then there these they this those to up us use using via want was were what when where which who whom whose will with would you your'.split(
    ' ',
  ),
)

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

/** Lower case; splits camelCase. */
export function wordsOf(text: string): string[] {
  const split = /[a-z0-9][A-Z]/.test(text) ? text.replace(/([a-z0-9])([A-Z])/g, '$1 $2') : text
  // All but ASCII and Latin-1 punctuation; Unicode classes are much slower.
  return split.toLowerCase().match(/[^\0-/:-@[-`{-\xbf]+/g) ?? []
}

/** `repositories` is `repository`, `starred` is `star`, `scanning` is `scan`. */
export function stemOf(word: string): string {
  const single = singular(word)
  if (single.length > 5 && single.endsWith('ing')) return undoubled(single.slice(0, -3))
  if (single.length > 4 && /[^e]ed$/.test(single)) return undoubled(single.slice(0, -2))
  return single.length > 4 && single.endsWith('e') ? single.slice(0, -1) : single
}

/** Similarity: 1 if equal, less if one is a prefix of the other, else 0. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length < 4 || !long.startsWith(short)) return 0
  const share = short.length / long.length
  return share < 0.4 ? 0 : share
}

function singular(word: string): string {
  if (!word.endsWith('s')) return word
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ches|shes|sses|xes)$/.test(word)) return word.slice(0, -2)
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word
}

function undoubled(stem: string): string {
  return /([bdgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem.replace(/e$/, '')
}
