/** Every operation that takes a path, with one in its place. */

/** What the path may be: a file, also a folder, or a folder that may be left out. */
export type PathKind = 'file' | 'any' | 'folder'

/** By name of the operation. */
export const PATH_INPUTS: Readonly<
  Record<string, readonly [inputOf: (path: string) => object, kind: PathKind]>
> = {
  read: [(path) => ({ path }), 'file'],
  document: [(path) => ({ path }), 'file'],
  write: [(path) => ({ path, content: 'x' }), 'file'],
  append: [(path) => ({ path, content: 'x' }), 'file'],
  list: [(path) => ({ path, recursive: true }), 'folder'],
  mkdir: [(path) => ({ path, recursive: true }), 'any'],
  copy: [(path) => ({ from: path, to: `${path}.copy`, force: true }), 'any'],
  move: [(path) => ({ from: path, to: `${path}.moved` }), 'any'],
  delete: [(path) => ({ path, recursive: true, force: true }), 'any'],
  exists: [(path) => ({ path }), 'any'],
  info: [(path) => ({ path }), 'any'],
  edit: [(path) => ({ path, old: 'x', new: 'y' }), 'file'],
  find: [(path) => ({ path, pattern: '**' }), 'folder'],
  search: [(path) => ({ path, pattern: 'x' }), 'folder'],
  links: [(path) => ({ path }), 'folder'],
  'links/upload': [(path) => ({ path }), 'any'],
  'links/revoke': [(path) => ({ path }), 'folder'],
}
