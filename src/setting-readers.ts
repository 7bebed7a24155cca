/**
 * Parsers for settings. Plain functions: a schema would take about as long to build as the rest of
 * a Worker's start.
 */

/** @throws {WrongText} */
export type Reader<T> = (line: string) => T

/** The message has neither the setting's name nor its value. */
export class WrongText extends Error {}

export const text: Reader<string> = (line) => line

export function matching(pattern: RegExp, problem: string): Reader<string> {
  return (line) => {
    if (!pattern.test(line)) throw new WrongText(problem)
    return line
  }
}

export function oneOf<const Word extends string>(
  words: readonly Word[],
  problem: string,
): Reader<Word> {
  return (line) => {
    const word = words.find((known) => known === line)
    if (word === undefined) throw new WrongText(problem)
    return word
  }
}

export const flag: Reader<boolean> = (line) =>
  oneOf(['true', 'false'], 'must be true or false')(line) === 'true'

export const count: Reader<number> = (line) =>
  Number(matching(/^[1-9]\d{0,14}$/, 'must be a whole number above 0')(line))

export function countFrom(least: number, most: number, problem: string): Reader<number> {
  return (line) => {
    const value = count(line)
    if (value < least || value > most) throw new WrongText(problem)
    return value
  }
}

export function atLeast(characters: number): Reader<string> {
  return (line) => {
    if ([...line].length < characters) {
      throw new WrongText(`needs at least ${characters} characters`)
    }
    return line
  }
}

export const address: Reader<string> = (line) => {
  const trimmed = line.trim()
  if (!/^https?:\/\/\S+$/i.test(trimmed) || !URL.canParse(trimmed)) {
    throw new WrongText('must be an http or https address')
  }
  return trimmed
}

/** Skips empty items. */
export function listOf<T>(separator: RegExp, item: Reader<T>): Reader<T[]> {
  return (line) =>
    line
      .trim()
      .split(separator)
      .filter((part) => part !== '')
      .map(item)
}
