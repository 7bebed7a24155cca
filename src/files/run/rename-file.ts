/** Renames a file; the old object is removed once the file is stored under the new name. */
import { FileError } from '../file-error.ts'
import type { FileNode } from '../content/file-node.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { VirtualPath } from '../path.ts'
import type { RunState } from './run-state.ts'

/** Replaces any file at the target; open handles follow the content. */
export function renameFile(run: RunState, from: VirtualPath, to: VirtualPath): MaybePromise<void> {
  const { tree, queue, moved } = run
  return andThen(tree.find(from), ({ node, mayBeStored }) => {
    if (!node) throw new FileError('ENOENT')
    if (from === to) return
    // Must not be uploaded under its old name while the store is asked about the new one.
    queue.withdraw(node)
    return andThen(tree.find(to), () => {
      // Start over once loaded: names may have changed meanwhile.
      const loading = queue.underWay(node) ?? run.load(node)
      if (loading) return loading.then(() => renameFile(run, from, to))
      if (!node.base && mayBeStored && !moved.has(from)) {
        return noteReplaced(run, from, node).then(() => renameFile(run, from, to))
      }
      move(run, node, from, to)
    })
  })
}

function move(run: RunState, node: FileNode, from: VirtualPath, to: VirtualPath): void {
  const { names, tree, queue, moved, touched } = run
  touched.touch(from, to)
  const replaced = names.get(to)?.node
  if (replaced) queue.withdraw(replaced)
  moved.add(from, node)
  tree.move(node, from, to)
  moved.takeBack(to, node)
  queue.add(node)
}

/** Only the version stored now is to be removed, not what others put there later. */
async function noteReplaced(
  { store, moved, names }: RunState,
  path: VirtualPath,
  node: FileNode,
): Promise<void> {
  const stored = await store.head(path)
  if (stored) moved.addReplaced(path, node, { ...stored, path })
  else names.set(path, node, false)
}
