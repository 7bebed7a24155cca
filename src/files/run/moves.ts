/**
 * Renames files; the store's object under an old name is removed once the file is stored under the
 * new one.
 */
import type { FileNode } from '../content/file-node.ts'
import type { VirtualPath } from '../path.ts'
import type { FileBase } from '../content/revision.ts'
import { FileError } from '../file-error.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { RunState } from './run-state.ts'
import type { AreaStore } from '../store/area-store.ts'

export interface MovedFile {
  /** The file, under its new name or removed. */
  readonly node: FileNode
  /** The stored version it was based on. */
  readonly base: FileBase
  /** Its edit count at the time of the move; `null` if it had unstored edits. */
  readonly edits: number | null
  /** How often it had been truncated by then. */
  readonly truncations: number
  /** Whether all content was the run's own at the time of the move. */
  readonly wasOwn: boolean
  /** The file overwrote that version and contains none of it. */
  readonly isReplaced: boolean
  /** The store copies it: its bytes were too many to load. */
  readonly isCopied: boolean
}

/** By old name, which must not be reused until its file is stored under the new one. */
export class MovedFiles {
  readonly #moved = new Map<VirtualPath, MovedFile>()

  /** Call before the file forgets its base. A file that was never stored leaves nothing behind. */
  add(from: VirtualPath, node: FileNode): void {
    const { base, truncations, isOwn: wasOwn } = node
    if (!base || this.#moved.has(from)) return
    const edits = node.isEdited ? null : node.edits
    const isCopied = node.missingBytes > 0
    const isReplaced = false
    this.#moved.set(from, { node, base, edits, truncations, wasOwn, isReplaced, isCopied })
  }

  /** For a file that overwrote the stored object at its old name but was not stored there. */
  addReplaced(from: VirtualPath, node: FileNode, base: FileBase): void {
    const { truncations } = node
    const fixed = { edits: null, wasOwn: true, isReplaced: true, isCopied: false }
    this.#moved.set(from, { node, base, truncations, ...fixed })
  }

  /** For a file renamed back to its old name: cancels the move. */
  takeBack(path: VirtualPath, node: FileNode): void {
    const moved = this.#moved.get(path)
    if (moved?.node !== node) return
    this.#moved.delete(path)
    if (!moved.isReplaced && !wasTruncated(moved)) node.restoreBase(moved.base, isIntact(moved))
  }

  get(path: VirtualPath): MovedFile | undefined {
    return this.#moved.get(path)
  }

  has(path: VirtualPath | null): boolean {
    return path !== null && this.#moved.has(path)
  }

  forget(path: VirtualPath): void {
    this.#moved.delete(path)
  }

  entries(): [VirtualPath, MovedFile][] {
    return [...this.#moved]
  }

  /** Whether files swapped names, so that each waits for the other. */
  isCircular(path: VirtualPath): boolean {
    const seen = new Set<VirtualPath>()
    for (let at: VirtualPath | null = path; at !== null && !seen.has(at);) {
      seen.add(at)
      at = this.#moved.get(at)?.node.path ?? null
      if (at === path) return true
    }
    return false
  }
}

/** Whether the file still starts with the stored content. */
function isIntact({ node, edits }: MovedFile): boolean {
  return node.edits === edits
}

/** Whether the file was removed or truncated after the move: its source is unwanted then, too. */
export function isDiscarded(moved: MovedFile): boolean {
  return moved.node.path === null || (wasTruncated(moved) && !moved.wasOwn)
}

/** Whether the file contains nothing of the stored version any more. */
function wasTruncated({ node, truncations }: MovedFile): boolean {
  return node.truncations !== truncations
}

/** Replaces any file at the target; open handles follow the content. */
export function renameFile(run: RunState, from: VirtualPath, to: VirtualPath): MaybePromise<void> {
  const { tree, queue, moved } = run
  return andThen(tree.find(from), ({ node, mayBeStored }) => {
    if (!node) throw new FileError('ENOENT')
    if (from === to) return
    if (node.stream) return run.streams.whenStored(node).then(() => renameFile(run, from, to))
    // Must not be uploaded under its old name while the store is asked about the new one.
    queue.withdraw(node)
    return andThen(tree.find(to), () => {
      // Start over once loaded: names may have changed meanwhile.
      const loading = queue.underWay(node) ?? (isTooLarge(run, node) ? undefined : run.load(node))
      if (loading) return loading.then(() => renameFile(run, from, to))
      if (!node.base && mayBeStored && !moved.has(from)) {
        return noteReplaced(run, from, node).then(() => renameFile(run, from, to))
      }
      move(run, node, from, to)
    })
  })
}

/** Then the store copies it, from a version that is known. */
function isTooLarge(run: RunState, { missingBytes, origin, isChanged, isCopied }: FileNode) {
  if (!origin?.etag || (isChanged && !isCopied)) return false
  return missingBytes > run.freeBytes
}

function move(run: RunState, node: FileNode, from: VirtualPath, to: VirtualPath): void {
  const { names, tree, queue, moved, touched, streams } = run
  touched.touch(from, to)
  const replaced = names.get(to)?.node
  if (replaced) {
    queue.withdraw(replaced)
    streams.discard(replaced)
  }
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

/**
 * Deletes only the version that was copied. Data appended to the source since is first appended to
 * the target, so log rotation neither loses nor duplicates lines.
 *
 * Resolves to `false` if a concurrent change to the source cannot be merged with the move.
 */
export async function removeSource(
  store: AreaStore,
  from: VirtualPath,
  moved: MovedFile,
): Promise<boolean> {
  const { node } = moved
  const to = node.path
  if (!to || isDiscarded(moved)) {
    await store.remove(from)
    return true
  }
  if (moved.isCopied) return removeCopied(store, from, to, moved)
  let { etag, bytes } = moved.base
  let copied = node.firstBytes(bytes)
  for (;;) {
    if (etag !== null && (await store.removeVersion(from, etag))) return true
    const current = await store.get(from)
    if (!current) return true
    if (!isIntact(moved)) return false
    copied ??= await firstBytesOf(store, to, bytes)
    // Replaced after the move: keep it. Without an etag it may contain moved data: a conflict.
    if (!beginsWith(current.body, copied, bytes)) return etag !== null
    if (current.bytes > bytes) {
      const appended = await store.append(to, [current.body.subarray(bytes)])
      node.objectBytes = appended.bytes
    }
    etag = current.etag
    bytes = current.bytes
    copied = [current.body]
  }
}

/** As {@link removeSource}; a source that has changed is copied again, with the change. */
async function removeCopied(
  store: AreaStore,
  from: VirtualPath,
  to: VirtualPath,
  moved: MovedFile,
): Promise<boolean> {
  for (let { etag } = moved.base; ;) {
    if (etag !== null && (await store.removeVersion(from, etag))) return true
    const current = await store.head(from)
    if (!current) return true
    if (!isIntact(moved)) return false
    if (!(await store.copy(from, to))) return true
    moved.node.objectBytes = current.bytes
    etag = current.etag
  }
}

async function firstBytesOf(store: AreaStore, path: VirtualPath, length: number) {
  const object = await store.get(path, { offset: 0, length })
  return object ? [object.body] : []
}

function beginsWith(body: Uint8Array, start: readonly Uint8Array[], bytes: number): boolean {
  let at = 0
  for (const chunk of start) {
    if (!chunk.every((byte, i) => byte === body[at + i])) return false
    at += chunk.length
  }
  return at === bytes
}
