/** Which function has which words; made when somebody first searches, and kept with the catalog. */
import type { ApiInfo, Catalog, FunctionInfo } from '../catalog/catalog.ts'
import { openParams } from '../catalog/reserved-names.ts'
import { isTelling, likeness, stemOf, wordsOf } from './words.ts'

/** What a word in each place says about a function. */
const WEIGHTS = { name: 4, summary: 3, path: 1, tags: 1, params: 0.25, description: 1 }

/** A function that can be found. */
export interface IndexedFunction {
  readonly api: ApiInfo
  readonly info: FunctionInfo
}

/** A word's functions, by number, and how much it says about each. */
interface Posting {
  readonly stem: string
  readonly functions: number[]
  readonly weights: number[]
  /** The text that had it last: within one, a word counts once. */
  lastText: number
}

const indexes = new WeakMap<Catalog, SearchIndex>()

/** That of a catalog. */
export function indexOf(catalog: Catalog): SearchIndex {
  let index = indexes.get(catalog)
  if (!index) indexes.set(catalog, (index = new SearchIndex(catalog)))
  return index
}

export class SearchIndex {
  readonly functions: IndexedFunction[] = []
  readonly #byStem = new Map<string, Posting>()
  /** Most words come again and again, and a look is quicker than finding their stems. */
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

  /** How much each function has of a word, by its number; words that are alike count in part. */
  weightsOf(stem: string): Map<number, number> {
    const found = new Map<number, number>()
    for (const { stem: other, functions, weights } of this.#byStem.values()) {
      const share = likeness(stem, other)
      if (share === 0) continue
      const value = share * this.#rarity(functions.length)
      functions.forEach((number, at) => {
        found.set(number, Math.max(found.get(number) ?? 0, value * weights[at]!))
      })
    }
    return found
  }

  /** How little a word is to be expected; words that say nothing are to be expected everywhere. */
  rarityOf(stem: string): number {
    return this.#rarity(this.#byStem.get(stem)?.functions.length || this.functions.length)
  }

  #rarity(count: number): number {
    return Math.log(1 + this.functions.length / count)
  }

  /** To the function that comes next. */
  #add(text: string, weight: number): void {
    const number = this.functions.length
    const textNumber = ++this.#texts
    for (const word of wordsOf(text)) {
      const posting = this.#byWord.get(word) ?? this.#postingOf(word)
      if (posting.lastText === textNumber || !isTelling(word)) continue
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
