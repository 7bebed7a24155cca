/** All files below a linked folder, for one archive. */
import { AppError } from '../../errors.ts'
import type { FileEntry } from '../../files/store/list-area.ts'
import { parseFolder, type FolderPath } from '../../files/path.ts'
import type { ZipEntry } from '../../formats/zip/zip-stream.ts'
import { auditLink } from '../audit/audit.ts'
import type { CallerFiles } from '../caller-files.ts'
import { pathRules } from '../service.ts'
import { openLinked, type LinkContext, type LinkInput } from './open-link.ts'

export interface ZipLimits {
  readonly files: number
  readonly bytes: number
}

/** Entries lower them where less can be sent. */
export const ZIP_LIMITS: ZipLimits = { files: 10_000, bytes: 2 * 1024 ** 3 }

/** Enough for the largest archive over a slow connection. */
const SEND_MS = 60 * 60_000

/** Smaller files are read ahead: each would otherwise wait for the store in turn. */
const AHEAD_BYTES = 256 * 1024
const AHEAD_FILES = 4

export interface FolderZip {
  readonly path: FolderPath
  /** Reads the files one after the other, while they are taken. */
  entries(): AsyncIterable<ZipEntry>
}

/**
 * Counts everything first, so that a folder above the limits is refused before a byte is sent.
 *
 * @throws {AppError} as opening the folder does; `too_large` above the limits.
 */
export async function zipFolder(ctx: LinkContext, input: LinkInput): Promise<FolderZip> {
  const { service } = ctx
  const path = parseFolder(input.path, pathRules(service.config))
  const { files, owner } = await openLinked(ctx, 'list', path, input, SEND_MS)
  const found = await filesBelow(files, path, service.zipLimits ?? ZIP_LIMITS)
  if (found.length === 0 && (await files.typeOf(path)) !== 'folder') {
    throw new AppError('not_found', 'There is no folder with this name.')
  }
  await auditLink(service, input.requestId, owner, 'list', { path })
  return { path, entries: () => zipEntries(files, path, found) }
}

async function filesBelow(
  files: CallerFiles,
  folder: FolderPath,
  limits: ZipLimits,
): Promise<FileEntry[]> {
  const found: FileEntry[] = []
  let bytes = 0
  for await (const entry of files.list(folder, { recursive: true })) {
    if (entry.type !== 'file') continue
    found.push(entry)
    bytes += entry.bytes ?? 0
    if (found.length > limits.files || bytes > limits.bytes) {
      throw new AppError('too_large', `${zipLimitText(limits)} Download its parts instead.`)
    }
  }
  return found
}

export function zipLimitText({ files, bytes }: ZipLimits): string {
  const megabytes = Math.floor(bytes / 1e6).toLocaleString('en')
  return `This folder is too large for one ZIP, which takes at most ${files.toLocaleString('en')} files and ${megabytes} MB.`
}

/**
 * A file that was replaced meanwhile is sent as it is now. One that is gone is left out, and the
 * last entry of the archive names it.
 */
async function* zipEntries(
  files: CallerFiles,
  folder: FolderPath,
  found: readonly FileEntry[],
): AsyncGenerator<ZipEntry> {
  const nameOf = ({ path }: FileEntry) => path.slice(folder === '' ? 0 : folder.length + 1)
  const missing: string[] = []
  for await (const [entry, content] of readInTurn(files, found)) {
    if (content) yield { ...content, name: nameOf(entry) }
    else missing.push(nameOf(entry))
  }
  if (missing.length === 0) return
  const text = `These files were removed while the archive was made:\n${missing.join('\n')}\n`
  const names = new Set(found.map(nameOf))
  let name = 'missing-files.txt'
  while (names.has(name)) name = `_${name}`
  const bytes = new TextEncoder().encode(text)
  yield { name, bytes: bytes.length, modifiedAt: new Date(), body: bodyOf(bytes) }
}

type Content = Omit<ZipEntry, 'name'> | null

async function* readInTurn(
  files: CallerFiles,
  found: readonly FileEntry[],
): AsyncGenerator<[FileEntry, Content]> {
  const ahead: (Promise<Content> | undefined)[] = []
  for (const [index, entry] of found.entries()) {
    for (let next = ahead.length; next < Math.min(index + AHEAD_FILES, found.length); next++) {
      const reading =
        (found[next]!.bytes ?? 0) <= AHEAD_BYTES ? small(files, found[next]!) : undefined
      // Awaited in its turn; until then a failure must not end the process.
      reading?.catch(() => {})
      ahead.push(reading)
    }
    const content = await (ahead[index] ?? streamed(files, entry))
    ahead[index] = undefined
    yield [entry, content]
  }
}

async function small(files: CallerFiles, { path }: FileEntry): Promise<Content> {
  // Other programs may have stored keys that are no valid paths, nor safe names in an archive.
  const object = files.canSpell(path) ? await files.get(path) : null
  return object && { ...object, body: bodyOf(object.body) }
}

async function streamed(files: CallerFiles, { path }: FileEntry): Promise<Content> {
  return files.canSpell(path) ? files.getStream(path) : null
}

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
