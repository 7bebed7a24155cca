/** Opens what a short link points to: a file, or a page of a folder. */
import { AppError } from '../../errors.ts'
import { parseFolder, parsePath, type FolderPath, type VirtualPath } from '../../files/path.ts'
import { openArea } from '../../files/store/area.ts'
import type { FileEntry, ListPosition } from '../../files/store/list-area.ts'
import { lastWriteOf } from '../../files/store/marks.ts'
import { anySignal } from '../../lib/abort.ts'
import { toHex } from '../../lib/encode.ts'
import { lastSegment } from '../../links/file-link.ts'
import { readTerms } from '../../links/upload-terms.ts'
import type { Quotas } from '../../quotas.ts'
import { signLink, verifyLink, type LinkPurpose } from '../../links/link-token.ts'
import type { ObjectInfo, PresignGetOptions } from '../../storage/driver.ts'
import { auditLink } from '../audit/audit.ts'
import { CallerFiles } from '../caller-files.ts'
import { openFile, type OpenedFile } from '../open-file.ts'
import { areaLayout, pathRules, type Service } from '../service.ts'
import { assertNotRevoked } from './revoked-links.ts'
import { meterOpener } from '../usage/open-usage.ts'

/** There is no caller: the link is the authorization. */
export interface LinkContext {
  readonly service: Pick<
    Service,
    | 'config'
    | 'storage'
    | 'now'
    | 'log'
    | 'redirectsLinks'
    | 'presignsUploads'
    | 'maxFormBytes'
    | 'zipLimits'
  >
  /** Throws `rate_limited` if the link's tenant is over its limit. */
  readonly countRequest?: ((tenant: string) => Promise<void>) | undefined
}

/** Taken from the URL. */
export interface LinkInput {
  readonly path: string
  readonly token: string
  readonly requestId: string
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal | undefined
}

/** Enough for the largest upload over a slow connection. */
export const UPLOAD_MS = 15 * 60_000

/** Long enough to seek around in a video; opening the link again creates a new one. */
const PRESIGNED_S = 3600

const PAGE_ENTRIES = 1000

/**
 * Verifies a link and opens the files it grants access to. Does not query these: only a link's
 * holder may learn what exists.
 *
 * @throws {AppError} `forbidden` or `rate_limited`.
 */
export async function openLinked(
  { service, countRequest }: LinkContext,
  purpose: LinkPurpose,
  path: FolderPath,
  { token, signal: disconnected }: Pick<LinkInput, 'token' | 'signal'>,
  limitMs = isUploadLink(purpose) ? UPLOAD_MS : service.config.limits.runMs,
) {
  const isUpload = isUploadLink(purpose)
  const { config, storage, now } = service
  const claims = await verifyLink(config.linkSecrets, token, { purpose, path }, now())
  // Only after verification: forged links must not use up a tenant's rate limit.
  await countRequest?.(claims.owner.tenant)
  await assertNotRevoked(service, claims, path)
  const area = await openArea(claims.owner, areaLayout(config))
  const timeout = AbortSignal.timeout(limitMs)
  const signal = anySignal(timeout, disconnected)
  const { maxDepth } = config
  const owner = {
    tenant: claims.owner.tenant,
    quotas: isUpload ? quotasIn(claims.terms) : undefined,
  }
  const files = new CallerFiles({
    storage,
    area,
    paths: pathRules(config),
    maxDepth,
    signal,
    ...(isUpload && {
      // A body that has arrived whole is stored, even if its sender is gone.
      writeSignal: timeout,
      openMeter: await meterOpener(service, owner, () => limitMs, true),
    }),
  })
  return { ...claims, files, signal }
}

function isUploadLink(purpose: LinkPurpose): boolean {
  return purpose === 'put' || purpose === 'drop'
}

/** The token that made the link may have had quotas. */
function quotasIn(terms: Uint8Array | undefined): Quotas | undefined {
  return terms && readTerms(terms).quotas
}

/** Existed when the link was opened; it may be gone by the time it is read. */
export interface LinkedFile extends OpenedFile {
  /** A presigned URL, if the link allows one; expires with the link or earlier. */
  presign(options: Omit<PresignGetOptions, 'expiresAt'>): Promise<string | undefined>
}

/**
 * Checks the link before querying the store: only its holder learns whether the file exists.
 *
 * @throws {AppError} `invalid_path`, `forbidden`, `rate_limited`, `not_found` or
 * `storage_unavailable`.
 */
export async function openLink(ctx: LinkContext, input: LinkInput): Promise<LinkedFile> {
  const { config, now } = ctx.service
  const path = parsePath(input.path, pathRules(config))
  const { files, owner, expiresAt, terms } = await openLinked(ctx, 'get', path, input)
  const pin = terms && toHex(terms)
  const file = await found(pin, () => openFile(files, path))
  if (!isVersion(pin, file.info)) throw missing(pin)
  await auditLink(ctx.service, input.requestId, owner, 'get', { path })
  return {
    ...file,
    stream: (range) =>
      found(pin, async () => {
        // It may have been replaced since.
        const content = await file.stream(range)
        if (isVersion(pin, content.info)) return content
        await content.body.cancel()
        throw missing(pin)
      }),
    async presign(options) {
      // A presigned URL cannot be pinned: the store would serve the current version.
      if (pin !== undefined) return undefined
      const seconds = Math.min(PRESIGNED_S, config.urlTtlS)
      const end = Math.min(expiresAt.getTime(), now().getTime() + seconds * 1000)
      const presigned = await files.presignGet(path, { ...options, expiresAt: new Date(end) })
      return presigned?.url
    },
  }
}

/** @param pin The only write whose content the link opens; absent for any. */
function isVersion(pin: string | undefined, info: ObjectInfo): boolean {
  return pin === undefined || lastWriteOf(info) === pin
}

/** The API's advice, such as to list the folder, is useless to a link's holder. */
async function found<T>(pin: string | undefined, request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    const isMissing =
      error instanceof AppError && (error.code === 'not_found' || error.code === 'conflict')
    if (!isMissing) throw error
    throw missing(pin, error)
  }
}

/** Hides whether a pinned version was replaced or removed: its creator may not read the new one. */
function missing(pin: string | undefined, cause?: unknown): AppError {
  const message =
    pin === undefined
      ? 'There is no file with this name. It may have been removed or renamed.'
      : 'The file this link was made for is gone: replaced, renamed or removed.'
  return new AppError('not_found', message, { cause })
}

export interface LinkedEntry extends FileEntry {
  /** Expires with the page's; absent for names that are not valid paths. */
  readonly token?: string | undefined
}

/** One page of a folder. */
export interface OpenedFolder {
  readonly path: FolderPath
  /** Folders first, then files, each sorted by name. */
  readonly entries: readonly LinkedEntry[]
  readonly isStart: boolean
  /** Of this page itself; absent for the first. */
  readonly after?: string | undefined
  /** The `after` of the next page, if any. */
  readonly next?: string | undefined
  readonly expiresAt: Date
}

/**
 * Sorted by name across pages; folders come first only within a page.
 *
 * @param after The last name on the previous page, with a slash for a folder; absent for the first.
 * @throws {AppError} `invalid_path`, `forbidden`, `rate_limited`, `malformed`, `not_found` or
 * `storage_unavailable`.
 */
export async function openFolder(
  ctx: LinkContext,
  input: LinkInput,
  after: string | undefined,
): Promise<OpenedFolder> {
  const { config } = ctx.service
  const path = parseFolder(input.path, pathRules(config))
  const { files, owner, expiresAt, issuedAt } = await openLinked(ctx, 'list', path, input)

  const { page, next } = await pageOf(files, path, after)
  if (page.length === 0 && (await files.typeOf(path)) !== 'folder') {
    throw new AppError('not_found', 'There is no folder with this name.')
  }
  await auditLink(ctx.service, input.requestId, owner, 'list', { path })
  const sign = async (entry: FileEntry): Promise<LinkedEntry> => {
    // Other programs may have stored keys that are not valid paths.
    if (!files.canSpell(entry.path)) return entry
    const purpose = entry.type === 'folder' ? 'list' : 'get'
    // The page's own times: its links must not outlive it.
    const claims = { purpose, owner, path: entry.path, expiresAt, issuedAt } as const
    return { ...entry, token: await signLink(config.linkSecrets, claims) }
  }
  const sorted = [
    ...page.filter((entry) => entry.type === 'folder'),
    ...page.filter((entry) => entry.type === 'file'),
  ]
  const entries = await Promise.all(sorted.map(sign))
  return { path, entries, isStart: after === undefined, after, next, expiresAt }
}

/** The store resumes after a name, so the last page costs no more than the first. */
async function pageOf(files: CallerFiles, folder: FolderPath, after: string | undefined) {
  const startAfter = after === undefined ? undefined : positionAfter(folder, after)
  const page: FileEntry[] = []
  for await (const entry of files.list(folder, { startAfter })) {
    if (page.length === PAGE_ENTRIES) {
      const { path, type } = page.at(-1)!
      const next = lastSegment(path) + (type === 'folder' ? '/' : '')
      return { page, next }
    }
    page.push(entry)
  }
  return { page }
}

/** The entry need not exist: it is only a position. */
function positionAfter(folder: FolderPath, after: string): ListPosition {
  const [, name, slash] = /^([^/\0]{1,1024})(\/?)$/.exec(after) ?? []
  if (name === undefined) {
    throw new AppError('malformed', 'The parameter "after" must be the name of an entry.')
  }
  const path = (folder === '' ? name : `${folder}/${name}`) as VirtualPath
  return { path, type: slash ? 'folder' : 'file' }
}
