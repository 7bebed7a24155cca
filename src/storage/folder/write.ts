/** Changes what lies below a root: each object in one step, one writer after the other. */
import { link, rename, unlink } from 'node:fs/promises'
import { closeAfter } from './close-after.ts'
import type { PutOptions } from '../driver.ts'
import { PreconditionFailed } from '../driver.ts'
import type { Draft } from './draft.ts'
import { FolderError, nullIf } from './errors.ts'
import type { ImpliedFolders } from './implied-folders.ts'
import type { FolderKey } from './key-path.ts'
import { look, type Found } from './stat.ts'
import { NO_NOTE, type FolderNotes, type Note } from './sidecar.ts'
import type { FolderRoot } from './root.ts'
import type { InTurn } from './lock.ts'
import { etagOf, stamp } from './version.ts'

/** What a writer stands on. */
export interface FolderParts {
  readonly root: FolderRoot
  readonly notes: FolderNotes
  readonly implied: ImpliedFolders
  readonly inTurn: InTurn
}

/** Gives etags of what is stored then. */
export interface FolderWriter {
  /** Gives the draft the name of the key. */
  putFile(key: FolderKey, draft: Draft, options: PutOptions): Promise<string>
  putMarker(key: FolderKey, options: PutOptions): Promise<string>
  /** `false` when an etag was given and another version is there. */
  remove(key: FolderKey, signal: AbortSignal | undefined, ifMatch?: string): Promise<boolean>
}

export function folderWriter({ root, notes, implied, inTurn }: FolderParts): FolderWriter {
  async function find({ above, name }: FolderKey): Promise<Found | null> {
    const folder = await root.open(above)
    return folder && closeAfter(look(folder.at(name)), folder)
  }

  /** @throws {FolderError} EISDIR */
  async function findFile(key: FolderKey): Promise<Found | null> {
    const found = await find(key)
    if (!found?.isFolder) return found
    // It may be empty, and left from a writer that was killed.
    await implied.tidy([...key.above, key.name])
    if (await find(key)) throw new FolderError('EISDIR')
    return null
  }

  /** The note comes first: without the file it is about nothing. */
  async function nameDraft(
    { key, above, name }: FolderKey,
    draft: Draft,
    etag: string,
    options: PutOptions,
  ): Promise<void> {
    try {
      await notes.write(key, etag, noteOf(options))
      await implied.lend(above, async (folder) => {
        if (options.ifNoneMatch === undefined) return rename(draft.path, folder.at(name))
        // Refuses also what people put there this moment, who wait for no turn.
        const made = await nullIf(['EEXIST'], link(draft.path, folder.at(name)))
        if (made === null) throw new PreconditionFailed()
      })
    } catch (error) {
      await notes.remove(key, etag)
      throw error
    }
  }

  return {
    putFile: (key, draft, options) =>
      inTurn(options.signal, async (hidden) => {
        const current = await findFile(key)
        const before = current && etagOf(current.stats)
        assertMet(options, before)
        if (current) await draft.handle.chmod(Number(current.stats.mode) & 0o777)
        const etag = etagOf(await stamp(hidden, draft.handle))
        await nameDraft(key, draft, etag, options)
        if (before !== null) await notes.remove(key.key, before)
        return etag
      }),

    putMarker: (key, options) =>
      inTurn(options.signal, async () => {
        const current = await find(key)
        if (current && !current.isFolder) throw new FolderError('ENOTDIR')
        const before = current && etagOf(current.stats)
        const isMarked = before !== null && !(await notes.read(key.key, before))?.isImplied
        assertMet(options, isMarked ? before : null)
        return implied.lend([...key.above, key.name], async (folder) => {
          const made = await look(folder.at('.'))
          const etag = etagOf(made!.stats)
          await notes.write(key.key, etag, noteOf(options))
          return etag
        })
      }),

    async remove(key, signal, ifMatch) {
      // Nothing is made, not even the root, where nothing is.
      if (!(await find(key))) return true
      return inTurn(signal, async () => {
        const { above, name, isMarker } = key
        const found = await find(key)
        const folder = found?.isFolder === isMarker ? await root.open(above) : null
        if (!found || !folder) return true
        const etag = etagOf(found.stats)
        try {
          if (ifMatch !== undefined && ifMatch !== etag) return false
          if (isMarker) {
            await implied.release(folder.at(name), [...above, name], etag)
            return true
          }
          await nullIf(['ENOENT'], unlink(folder.at(name)))
        } finally {
          await folder.close()
        }
        await notes.remove(key.key, etag)
        await implied.tidy(above)
        return true
      })
    },
  }
}

function noteOf({ contentType = NO_NOTE.contentType, metadata = {} }: PutOptions): Note {
  return { contentType, metadata }
}

/** @param current The etag of what is there. */
function assertMet({ ifMatch, ifNoneMatch }: PutOptions, current: string | null): void {
  const isMet =
    (ifNoneMatch === undefined || current === null) &&
    (ifMatch === undefined || ifMatch === current)
  if (!isMet) throw new PreconditionFailed()
}
