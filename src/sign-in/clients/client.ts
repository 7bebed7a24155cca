/** A program that asks for access. */

export interface Client {
  readonly id: string
  /** As it calls itself. */
  readonly name: string
  /** Of its document, which only the owner of the host can publish; absent if it registered. */
  readonly host?: string | undefined
  readonly redirectUris: readonly string[]
}

/** Longer ones are cut. */
const MAX_NAME = 80

/** For people: one line without control characters. */
export function clientName(name: unknown): string {
  const text = typeof name === 'string' ? name.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim() : ''
  const characters = [...text]
  if (characters.length <= MAX_NAME) return text || 'A program without a name'
  return `${characters.slice(0, MAX_NAME - 1).join('')}…`
}
