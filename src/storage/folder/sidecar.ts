/** What a file cannot hold itself: type and metadata, in small files of the hidden folder. */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { closeAfter } from './close-after.ts'
import { MISSING, nullIf } from './errors.ts'
import { HIDDEN } from './key-path.ts'
import { openFile } from './stat.ts'
import type { FolderRoot } from './root.ts'

/** What an object was stored with. */
export interface Note {
  readonly contentType: string
  readonly metadata: Readonly<Record<string, string>>
  /** Of a folder that is there only because of what lies in it. */
  readonly isImplied?: true
}

/** For what nobody stored here: people put it into the folder. */
export const NO_NOTE: Note = { contentType: 'application/octet-stream', metadata: {} }

/** A note is about one version: whatever else changes a file leaves it without. */
export interface FolderNotes {
  read(key: string, etag: string): Promise<Note | null>
  /** Only in turn; a file's is there before the file is, so that nobody meets half of it. */
  write(key: string, etag: string, note: Note): Promise<void>
  remove(key: string, etag: string): Promise<void>
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

export function folderNotes(root: FolderRoot): FolderNotes {
  return {
    async read(key, etag) {
      const hidden = await root.open([HIDDEN])
      if (!hidden) return null
      try {
        const file = await nullIf(['ELOOP'], openFile(hidden.at(nameOf(key, etag))))
        return file && parseNote(await closeAfter(file.readFile('utf8'), file))
      } finally {
        await hidden.close()
      }
    },

    async write(key, etag, note) {
      const hidden = await root.make([HIDDEN])
      try {
        const path = hidden.at(nameOf(key, etag))
        const create = () => open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        let file = await nullIf(['EEXIST'], create())
        if (!file) {
          await unlink(path)
          file = await create()
        }
        await closeAfter(file.writeFile(JSON.stringify(note)), file)
      } finally {
        await hidden.close()
      }
    },

    async remove(key, etag) {
      const hidden = await root.open([HIDDEN])
      if (!hidden) return
      await closeAfter(nullIf(MISSING, unlink(hidden.at(nameOf(key, etag)))), hidden)
    },
  }
}

function nameOf(key: string, etag: string): string {
  return createHash('sha256').update(`${etag}/${key}`).digest('hex')
}

/** A machine that lost its power may have kept the name of a file and not its bytes. */
function parseNote(text: string): Note | null {
  let note: unknown
  try {
    note = JSON.parse(text)
  } catch {
    return null
  }
  return isNote(note) ? note : null
}

function isNote(note: unknown): note is Note {
  if (!(note instanceof Object) || !('contentType' in note) || !('metadata' in note)) return false
  const { contentType, metadata } = note
  if (typeof contentType !== 'string' || !(metadata instanceof Object)) return false
  return Object.values(metadata).every((value) => typeof value === 'string')
}
