/** Finds functions by a question in plain words: a scan with weights, over names, summaries, tags and paths. */
import type { ApiInfo, Catalog, FunctionInfo } from './catalog.ts'
import { signatureOf } from './signature.ts'

/** A function that fits. */
export interface SearchHit {
  /** With the API's, as after `sdk.`. */
  readonly name: string
  readonly signature: string
  readonly summary: string
}

const MAX_HITS = 8
const WEIGHTS = { name: 6, summary: 4, tags: 2, path: 2 }
/** Say what kind of word comes next, not which. */
const EMPTY_WORDS = new Set(
  'a an and api at by can do does for from have how i in is it its me my of on or our please s show that the there this to up want what which who with you your'.split(
    ' ',
  ),
)
/** What people say for what APIs call it. */
const SAME: Readonly<Record<string, string>> = {
  add: 'create',
  all: 'list',
  change: 'update',
  edit: 'update',
  fetch: 'get',
  find: 'search',
  make: 'create',
  modify: 'update',
  new: 'create',
  open: 'create',
  pr: 'pull',
  pull_request: 'pull',
  read: 'get',
  remove: 'delete',
  repository: 'repo',
  retrieve: 'get',
  view: 'get',
}

/** Best first. */
export function searchFunctions(catalog: Catalog, question: string, most = MAX_HITS): SearchHit[] {
  const wanted = [...new Set(wordsOf(question))].filter((word) => !EMPTY_WORDS.has(word))
  if (wanted.length === 0) return []
  const found: { api: ApiInfo; info: FunctionInfo; score: number }[] = []
  for (const api of catalog.apis) {
    for (const info of catalog.functionsOf(api.name)) {
      const score = scoreOf(wanted, api, info)
      if (score > 0) found.push({ api, info, score })
    }
  }
  found.sort((a, b) => b.score - a.score || a.info.name.length - b.info.name.length)
  return found.slice(0, most).map(({ api, info }) => ({
    name: `${api.name}.${info.name}`,
    signature: signatureOf(catalog.callsOf(api.name)[info.name]!),
    summary: info.summary,
  }))
}

function scoreOf(wanted: readonly string[], api: ApiInfo, info: FunctionInfo): number {
  const name = wordsOf(info.name)
  const summary = wordsOf(info.summary)
  const tags = wordsOf((info.tags ?? []).join(' '))
  const path = wordsOf(info.path.replace(/\{[^}]*\}/g, ' '))
  let score = 0
  let matched = 0
  for (const word of wanted) {
    const points =
      (name.includes(word) ? WEIGHTS.name : 0) +
      (summary.includes(word) ? WEIGHTS.summary : 0) +
      (tags.includes(word) ? WEIGHTS.tags : 0) +
      (path.includes(word) ? WEIGHTS.path : 0) +
      (api.name === word ? 1 : 0)
    score += points
    if (points > 0) matched++
  }
  if (matched === 0) return 0
  // Words nobody asked for make a function a worse answer, and an obsolete one is worse still.
  const strangers = name.filter((word) => !wanted.includes(word)).length
  const share = matched / wanted.length
  return score * share - strangers - (info.isDeprecated ? WEIGHTS.name : 0)
}

/** Lower case, without plural and with one word for many. */
function wordsOf(text: string): string[] {
  const split = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return split.split(/[^a-z0-9]+/).flatMap((word) => {
    if (word === '') return []
    const single = SAME[word] ?? singular(word)
    return [SAME[single] ?? single]
  })
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ches|shes|sses|xes)$/.test(word)) return word.slice(0, -2)
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word
}
