/** An inverted index of functions by word stem; built on first search, kept with the catalog. */
import type { ApiInfo, Catalog, FunctionInfo } from '../catalog/catalog.ts'
import { openParams } from '../catalog/reserved-names.ts'
import { isStopWord, similarity, stemOf, wordsOf } from './words.ts'

/** Field weights. */
const WEIGHTS = { name: 4, summary: 3, path: 1, tags: 1, params: 0.25, description: 1 }

export interface IndexedFunction {
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

export function indexOf(catalog: Catalog): SearchIndex {
  let index = indexes.get(catalog)
  if (!index) indexes.set(catalog, (index = new SearchIndex(catalog)))
  return index
}

export class SearchIndex {
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
