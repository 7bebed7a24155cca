/** The way in for whoever holds a link: the token is checked, then the files it stands for are opened. */
import { AppError } from '../errors.ts'
import { openArea, type AreaLayout } from '../files/area.ts'
import type { FolderPath, PathRules } from '../files/path.ts'
import { verifyLink, type LinkPurpose, type TokenClaims } from '../links/link-token.ts'
import type { StorageDriver } from '../storage/driver.ts'
import { CallerFiles } from './caller-files.ts'
import { areaLayout, pathRules, type Service } from './service.ts'

/** Enough for the largest upload over a slow line. */
const UPLOAD_MS = 15 * 60_000

/** What a link's holder needs of the service. */
export interface LinkDeps {
  readonly storage: StorageDriver
  readonly layout: AreaLayout
  readonly paths: PathRules
  readonly linkSecrets: readonly string[]
  readonly now: () => Date
  /** Segments of the deepest path that may be written; absent means any. */
  readonly maxDepth?: number | undefined
  /** Ends all requests to the store after so long; absent means never. */
  readonly limitMs?: number | undefined
  /** The same for uploads, whose pace is their sender's. */
  readonly uploadMs?: number | undefined
  /** Resolves to false when the tenant of the link has had too many requests. */
  readonly countRequest?: ((tenant: string) => Promise<boolean>) | undefined
}

/** What one link lets its holder do, and with whose files. */
export interface Linked extends TokenClaims {
  readonly files: CallerFiles
  /** Aborts when the holder has gone, or the time is over. */
  readonly signal: AbortSignal
}

/** A link as it came in, with its path already parsed. */
export interface LinkedRequest {
  readonly purpose: LinkPurpose
  readonly path: FolderPath
  readonly token: string
  /** Aborts when the holder has gone. */
  readonly signal?: AbortSignal | undefined
}

/** The same limits for everybody's links as for callers of the API. */
export function linkDeps(service: Service, countRequest?: LinkDeps['countRequest']): LinkDeps {
  const { config, storage, now } = service
  return {
    storage,
    layout: areaLayout(config),
    paths: pathRules(config),
    linkSecrets: config.linkSecrets,
    now,
    maxDepth: config.maxDepth,
    limitMs: config.limits.runMs,
    uploadMs: UPLOAD_MS,
    countRequest,
  }
}

/**
 * Asks the store nothing: only a link's holder shall learn what there is.
 *
 * @throws {AppError} `forbidden` or `rate_limited`.
 */
export async function openLinked(deps: LinkDeps, request: LinkedRequest): Promise<Linked> {
  const { storage, layout, paths, linkSecrets, now, maxDepth = Infinity } = deps
  const claims = await verifyLink(linkSecrets, request.token, request, now())
  // Forged links count for nobody: else anybody could use up a tenant's requests.
  if (deps.countRequest && !(await deps.countRequest(claims.owner.tenant))) {
    throw new AppError('rate_limited', 'Too many requests. Try again in a minute.')
  }
  const area = await openArea(claims.owner, layout)
  const isUpload = request.purpose === 'put'
  const signal = endOf(request.signal, isUpload ? deps.uploadMs : deps.limitMs)
  return { ...claims, files: new CallerFiles({ storage, area, paths, maxDepth, signal }), signal }
}

function endOf(gone: AbortSignal | undefined, limitMs: number | undefined): AbortSignal {
  const late = limitMs === undefined ? [] : [AbortSignal.timeout(limitMs)]
  return AbortSignal.any([...late, ...(gone ? [gone] : [])])
}
