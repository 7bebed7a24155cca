/** Finds functions by a question in plain words: rare words count more than common ones, names more than descriptions. */
import type { Catalog } from '../catalog/catalog.ts'
import { indexOf, type SearchIndex } from './search-index.ts'
import { parseQuestion, type Question, type WantedWord } from './query.ts'
import { stemOf, wordsOf } from './words.ts'
import { signatureOf } from '../catalog/signature.ts'

/** A function that fits. */
export interface SearchHit {
  /** With the API's, as after `sdk.`. */
  readonly name: string
  readonly signature: string
  readonly summary: string
}

const MAX_HITS = 8
/** Words beyond these say nothing new, and each costs a look at the whole catalog. */
const MAX_WORDS = 24
/** A word that only means the same counts a little less. */
const OTHER_WORD = 0.7
/** For a method that does what was asked, and one that does not. */
const FITTING = 1.25
const UNFITTING = 0.8
/** For each word of a name that nobody asked for, as far as it is a rare one. */
const STRANGER = 0.08
const DEPRECATED = 0.7

/** Best first. */
export function searchFunctions(catalog: Catalog, question: string, most = MAX_HITS): SearchHit[] {
  return searchCatalogs([catalog], question, most)
}

/** Best first, whichever of them has it. */
export function searchCatalogs(
  catalogs: readonly Catalog[],
  question: string,
  most = MAX_HITS,
): SearchHit[] {
  const asked = parseQuestion(question.slice(0, 1000))
  const ranked = catalogs.flatMap((catalog) => rank(catalog, asked, most))
  ranked.sort((a, b) => b.score - a.score)
  return ranked.slice(0, most).map(({ hit }) => hit)
}

/** Scores of one catalog mean the same as those of another: a word is as rare as it can be in its own. */
function rank(
  catalog: Catalog,
  asked: Question,
  most: number,
): { readonly score: number; readonly hit: SearchHit }[] {
  const index = indexOf(catalog)
  const scores = scoresOf(index, asked)
  const wanted = new Set([...asked.words, ...asked.implied].flatMap(({ stems }) => stems))
  const ranked = [...scores].map(([number, score]) => {
    const { info } = index.functions[number]!
    const strangers = wordsOf(info.name)
      .map(stemOf)
      .filter((stem) => !wanted.has(stem))
    const surprise = strangers.reduce((sum, stem) => sum + index.rarityOf(stem), 0)
    const fits =
      asked.methods.length === 0 ? 1 : asked.methods.includes(info.method) ? FITTING : UNFITTING
    const age = info.isDeprecated ? DEPRECATED : 1
    return {
      number,
      score: (score * fits * age) / (1 + STRANGER * surprise),
      length: info.name.length,
    }
  })
  ranked.sort((a, b) => b.score - a.score || a.length - b.length || a.number - b.number)
  const rarest = Math.log(1 + index.functions.length)
  return ranked.slice(0, most).map(({ number, score }) => {
    const { api, info } = index.functions[number]!
    const hit = {
      name: `${api.name}.${info.name}`,
      signature: signatureOf(api, catalog.callOf(api.name, info.name)!),
      summary: info.summary,
    }
    return { score: score / rarest, hit }
  })
}

/** By number; a function that has half of the words is worth less than half. */
function scoresOf(index: SearchIndex, { words, implied }: Question): Map<number, number> {
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

/** What one word is worth to each function that has it, or another that means the same. */
function valuesOf(index: SearchIndex, { stems, weight }: WantedWord): Map<number, number> {
  const best = new Map<number, number>()
  stems.forEach((stem, at) => {
    for (const [number, value] of index.weightsOf(stem)) {
      const worth = value * weight * (at === 0 ? 1 : OTHER_WORD)
      if (worth > (best.get(number) ?? 0)) best.set(number, worth)
    }
  })
  return best
}
