/** Ranks functions for a query: rare words count more, and names more than descriptions. */
import type { Catalog, ApiInfo, FunctionInfo } from '../catalog/catalog.ts'
import {
  parseQuery,
  stemOf,
  wordsOf,
  isStopWord,
  similarity,
  type Query,
  type QueryWord,
} from './query.ts'
import { signatureOf } from '../catalog/help.ts'
import { openParams } from '../catalog/reserved-names.ts'

export interface SearchHit {
  /** Qualified, as after `sdk.`. */
  readonly name: string
  readonly signature: string
  readonly summary: string
}

const MAX_HITS = 8
/** Bounds the work: each word scans the index. */
const MAX_WORDS = 24
/** Weight of a synonym. */
const SYNONYM = 0.7
/** Factors for a matching and a non-matching HTTP method. */
const METHOD_MATCH = 1.25
const METHOD_MISMATCH = 0.8
/** Penalty per word of the name that is not in the query, by rarity. */
const EXTRA_WORD = 0.08
const DEPRECATED = 0.7

/** Best first. */
export function searchFunctions(catalog: Catalog, question: string, most = MAX_HITS): SearchHit[] {
  return searchCatalogs([catalog], question, most)
}

/** Best first, over all catalogs. */
export function searchCatalogs(
  catalogs: readonly Catalog[],
  question: string,
  most = MAX_HITS,
): SearchHit[] {
  const asked = parseQuery(question.slice(0, 1000))
  const ranked = catalogs.flatMap((catalog) => rank(catalog, asked, most))
  ranked.sort((a, b) => b.score - a.score)
  return ranked.slice(0, most).map(({ hit }) => hit)
}

/** Scores are normalised by the catalog's highest IDF, so that catalogs compare. */
function rank(
  catalog: Catalog,
  asked: Query,
  most: number,
): { readonly score: number; readonly hit: SearchHit }[] {
  const index = indexOf(catalog)
  const scores = scoresOf(index, asked)
  const wanted = new Set([...asked.words, ...asked.implied].flatMap(({ stems }) => stems))
  const ranked = [...scores].map(([number, score]) => {
    const { info } = index.functions[number]!
    const extras = wordsOf(info.name)
      .map(stemOf)
      .filter((stem) => !wanted.has(stem))
    const extraIdf = extras.reduce((sum, stem) => sum + index.idfOf(stem), 0)
    const fits =
      asked.methods.length === 0
        ? 1
        : asked.methods.includes(info.method)
          ? METHOD_MATCH
          : METHOD_MISMATCH
    const age = info.isDeprecated ? DEPRECATED : 1
    return {
      number,
      score: (score * fits * age) / (1 + EXTRA_WORD * extraIdf),
      length: info.name.length,
    }
  })
  ranked.sort((a, b) => b.score - a.score || a.length - b.length || a.number - b.number)
  const maxIdf = Math.log(1 + index.functions.length)
  return ranked.slice(0, most).map(({ number, score }) => {
    const { api, info } = index.functions[number]!
    const hit = {
      name: `${api.name}.${info.name}`,
      signature: signatureOf(api, catalog.callOf(api.name, info.name)!),
      summary: info.summary,
    }
    return { score: score / maxIdf, hit }
  })
}

/** By function number. Partial matches are scaled down. */
function scoresOf(index: SearchIndex, { words, implied }: Query): Map<number, number> {
  const scores = new Map<number, number>()
  const shares = new Map<number, number>()
  const asked = words.slice(0, MAX_WORDS)
  const total = asked.reduce((sum, { weight }) => sum + weight, 0)
  for (const word of asked) {
    for (const [number, value] of valuesOf(index, word)) {
      scores.set(number, (scores.get(number) ?? 0) + value)
      shares.set(number, (shares.get(number) ?? 0) + word.weight)
    }
  }
  for (const word of implied) {
    for (const [number, value] of valuesOf(index, word)) {
      if (scores.has(number)) scores.set(number, scores.get(number)! + value)
    }
  }
  for (const [number, score] of scores) {
    scores.set(number, score * (0.4 + 0.6 * (shares.get(number)! / total)))
  }
  return scores
}

/** The score of one word, or its best synonym, per function. */
function valuesOf(index: SearchIndex, { stems, weight }: QueryWord): Map<number, number> {
  const best = new Map<number, number>()
  stems.forEach((stem, at) => {
    for (const [number, value] of index.weightsOf(stem)) {
      const worth = value * weight * (at === 0 ? 1 : SYNONYM)
      if (worth > (best.get(number) ?? 0)) best.set(number, worth)
    }
  })
  return best
}

/** Field weights. */
const WEIGHTS = { name: 4, summary: 3, path: 1, tags: 1, params: 0.25, description: 1 }

interface IndexedFunction {
  readonly api: ApiInfo
  readonly info: FunctionInfo
}

interface Posting {
  readonly stem: string
  readonly functions: number[]
  readonly weights: number[]
  /** The last text that contained it: a word counts once per text. */
  lastText: number
}

const indexes = new WeakMap<Catalog, SearchIndex>()

function indexOf(catalog: Catalog): SearchIndex {
  let index = indexes.get(catalog)
  if (!index) indexes.set(catalog, (index = new SearchIndex(catalog)))
  return index
}

/** An inverted index of functions by word stem; built on first search, kept with the catalog. */
class SearchIndex {
  readonly functions: IndexedFunction[] = []
  readonly #byStem = new Map<string, Posting>()
  /** Caches stems while indexing: words repeat. */
  readonly #byWord = new Map<string, Posting>()
  #texts = 0

  constructor(catalog: Catalog) {
    for (const api of catalog.apis) {
      const calls = catalog.callsOf(api.name)
      for (const info of catalog.functionsOf(api.name)) {
        const call = calls[info.name]!
        this.#add(info.name, WEIGHTS.name)
        this.#add(info.summary, WEIGHTS.summary)
        this.#add(info.path.replace(/\{[^}]*\}/g, ' '), WEIGHTS.path)
        this.#add(`${api.name} ${(info.tags ?? []).join(' ')}`, WEIGHTS.tags)
        const open = openParams(api, call)
        this.#add(open.map(({ name }) => name).join(' '), WEIGHTS.params)
        this.#add(call.description ?? '', WEIGHTS.description)
        this.functions.push({ api, info })
      }
    }
    this.#byWord.clear()
  }

  /** Weight per function number; similar words count in part. */
  weightsOf(stem: string): Map<number, number> {
    const found = new Map<number, number>()
    for (const { stem: other, functions, weights } of this.#byStem.values()) {
      const share = similarity(stem, other)
      if (share === 0) continue
      const value = share * this.#idf(functions.length)
      functions.forEach((number, at) => {
        found.set(number, Math.max(found.get(number) ?? 0, value * weights[at]!))
      })
    }
    return found
  }

  /** Inverse document frequency; unknown words count as common. */
  idfOf(stem: string): number {
    return this.#idf(this.#byStem.get(stem)?.functions.length || this.functions.length)
  }

  #idf(count: number): number {
    return Math.log(1 + this.functions.length / count)
  }

  /** Adds to the function that is pushed next. */
  #add(text: string, weight: number): void {
    const number = this.functions.length
    const textNumber = ++this.#texts
    for (const word of wordsOf(text)) {
      const posting = this.#byWord.get(word) ?? this.#postingOf(word)
      if (posting.lastText === textNumber || isStopWord(word)) continue
      posting.lastText = textNumber
      const last = posting.functions.length - 1
      if (posting.functions[last] === number) posting.weights[last]! += weight
      else {
        posting.functions.push(number)
        posting.weights.push(weight)
      }
    }
  }

  #postingOf(word: string): Posting {
    const stem = stemOf(word)
    let posting = this.#byStem.get(stem)
    if (!posting) {
      posting = { stem, functions: [], weights: [], lastText: 0 }
      this.#byStem.set(stem, posting)
    }
    this.#byWord.set(word, posting)
    return posting
  }
}
