/** Maps keys to paths below a root. */
import { FolderError } from './errors.ts'

/** The store's own folder: not a key, not listed. */
export const HIDDEN = '.moonbucket'

export interface FolderKey {
  readonly key: string
  /** Folder names, outermost first. */
  readonly parents: readonly string[]
  readonly name: string
  /** Ends in a slash: the folder itself. */
  readonly isMarker: boolean
}

/** @throws {FolderError} EINVAL if it could leave the root or alias another key. */
export function parseKey(key: string): FolderKey {
  const isMarker = key.endsWith('/')
  const parents = parseNames(isMarker ? key.slice(0, -1) : key)
  return { key, parents, name: parents.pop()!, isMarker }
}

/** The prefix's folder, and the start of names in it. @throws {FolderError} EINVAL */
export function parsePrefix(prefix: string): { readonly names: string[]; readonly start: string } {
  const end = prefix.lastIndexOf('/')
  const names = end === -1 ? [] : parseNames(prefix.slice(0, end))
  return { names, start: prefix.slice(end + 1) }
}

/** The key prefix of a folder's contents, and its marker's key. */
export function prefixOf(names: readonly string[]): string {
  return names.map((name) => `${name}/`).join('')
}

export function isKeyName(parents: readonly string[], name: string): boolean {
  // A lone surrogate has no UTF-8 form: it would alias another file.
  if (name === '' || name === '.' || name === '..' || /[\0\\\p{Cs}]/u.test(name)) return false
  return parents.length > 0 || name.toLowerCase() !== HIDDEN
}

function parseNames(path: string): string[] {
  const names = path.split('/')
  if (!names.every((name, i) => isKeyName(names.slice(0, i), name))) throw new FolderError('EINVAL')
  return names
}
