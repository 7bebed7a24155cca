/** Which keys can be files below a root, and as what. */
import { FolderError } from './errors.ts'

/** The store's own folder in the root: no key names it, and no listing tells it. */
export const HIDDEN = '.moonbucket'

/** A key as a place. */
export interface FolderKey {
  readonly key: string
  /** The names of the folders it lies in, outermost first. */
  readonly above: readonly string[]
  readonly name: string
  /** Whether it ends in a slash: such an object is the folder itself. */
  readonly isMarker: boolean
}

/** @throws {FolderError} EINVAL for what could lead out of the root, or be another key's file too. */
export function parseKey(key: string): FolderKey {
  const isMarker = key.endsWith('/')
  const above = parseNames(isMarker ? key.slice(0, -1) : key)
  return { key, above, name: above.pop()!, isMarker }
}

/** The folder a prefix lies in, and what names in it have to begin with. @throws {FolderError} as {@link parseKey}. */
export function parsePrefix(prefix: string): { readonly names: string[]; readonly start: string } {
  const end = prefix.lastIndexOf('/')
  const names = end === -1 ? [] : parseNames(prefix.slice(0, end))
  return { names, start: prefix.slice(end + 1) }
}

/** What the keys of everything in a folder begin with; also the key of its marker. */
export function prefixOf(names: readonly string[]): string {
  return names.map((name) => `${name}/`).join('')
}

/** Whether a name found in a folder can be part of a key. */
export function isKeyName(above: readonly string[], name: string): boolean {
  // UTF-8 has no form for half a surrogate pair: it would become the name of another file.
  if (name === '' || name === '.' || name === '..' || /[\0\\\p{Cs}]/u.test(name)) return false
  return above.length > 0 || name.toLowerCase() !== HIDDEN
}

function parseNames(path: string): string[] {
  const names = path.split('/')
  if (!names.every((name, i) => isKeyName(names.slice(0, i), name))) throw new FolderError('EINVAL')
  return names
}
