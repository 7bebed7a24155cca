/** Sidecar files for content type and metadata, in the hidden folder. */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { closeAfter } from './close-after.ts'
import { MISSING, nullIf } from './errors.ts'
import { HIDDEN } from './key-path.ts'
import { openForReading } from './stat.ts'
import type { FolderRoot } from './root.ts'

export interface Sidecar {
  readonly contentType: string
  readonly metadata: Readonly<Record<string, string>>
  /** A folder that exists only for its contents. */
  readonly isImplied?: true
}

/** For files put into the folder by hand. */
export const NO_SIDECAR: Sidecar = { contentType: 'application/octet-stream', metadata: {} }

/** Keyed by version: a file changed by other means has no sidecar. */
export interface SidecarStore {
  read(key: string, etag: string): Promise<Sidecar | null>
  /** Needs the lock. Written before the file, so that readers never see a file without it. */
  write(key: string, etag: string, sidecar: Sidecar): Promise<void>
  remove(key: string, etag: string): Promise<void>
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

export function sidecarStore(root: FolderRoot): SidecarStore {
  return {
    async read(key, etag) {
      const hidden = await root.open([HIDDEN])
      if (!hidden) return null
      try {
        const file = await nullIf(['ELOOP'], openForReading(hidden.at(fileName(key, etag))))
        return file && parseSidecar(await closeAfter(file.readFile('utf8'), file))
      } finally {
        await hidden.close()
      }
    },

    async write(key, etag, sidecar) {
      const hidden = await root.make([HIDDEN])
      try {
        const path = hidden.at(fileName(key, etag))
        const create = () => open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        let file = await nullIf(['EEXIST'], create())
        if (!file) {
          await unlink(path)
          file = await create()
        }
        await closeAfter(file.writeFile(JSON.stringify(sidecar)), file)
      } finally {
        await hidden.close()
      }
    },

    async remove(key, etag) {
      const hidden = await root.open([HIDDEN])
      if (!hidden) return
      await closeAfter(nullIf(MISSING, unlink(hidden.at(fileName(key, etag)))), hidden)
    },
  }
}

function fileName(key: string, etag: string): string {
  return createHash('sha256').update(`${etag}/${key}`).digest('hex')
}

/** May be empty or torn after a power loss. */
function parseSidecar(text: string): Sidecar | null {
  let sidecar: unknown
  try {
    sidecar = JSON.parse(text)
  } catch {
    return null
  }
  return isSidecar(sidecar) ? sidecar : null
}

function isSidecar(sidecar: unknown): sidecar is Sidecar {
  if (!(sidecar instanceof Object) || !('contentType' in sidecar) || !('metadata' in sidecar))
    return false
  const { contentType, metadata } = sidecar
  if (typeof contentType !== 'string' || !(metadata instanceof Object)) return false
  return Object.values(metadata).every((value) => typeof value === 'string')
}
