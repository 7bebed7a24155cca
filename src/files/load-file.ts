/** Fetches what is still only in the store of a file that is read or edited. */
import type { FileNode, GetObject } from './file-node.ts'
import type { RunState } from './run-state.ts'

/** Makes every byte resident; `undefined` when there is nothing to wait for. */
export function loadFile(run: RunState, node: FileNode): undefined | Promise<void> {
  return whenStored(run, node, (get) => node.load(get))
}

/** Makes the byte at an offset readable; `undefined` when there is nothing to wait for. */
export function loadFileAt(run: RunState, node: FileNode, at: number): undefined | Promise<void> {
  return whenStored(run, node, (get) => node.loadAt(at, get))
}

/** What the store holds of a file is anybody's guess while an upload of it is under way. */
function whenStored(
  { store, queue }: RunState,
  node: FileNode,
  load: (get: GetObject) => undefined | Promise<void>,
): undefined | Promise<void> {
  if (node.missingBytes === 0) return undefined
  const get: GetObject = (path, range) => store.get(path, range)
  const upload = queue.underWay(node)
  return upload ? upload.then(() => load(get)) : load(get)
}
