/** Verifies a link and opens the files it grants access to. */
import { AppError } from '../../errors.ts'
import { openArea, type AreaLayout } from '../../files/store/area.ts'
import type { FolderPath, PathRules } from '../../files/path.ts'
import { verifyLink, type LinkPurpose, type TokenClaims } from '../../links/link-token.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import { CallerFiles } from '../caller-files.ts'
import { areaLayout, pathRules, type Service } from '../service.ts'

/** Enough for the largest upload over a slow connection. */
const UPLOAD_MS = 15 * 60_000

/** What links need of the service. */
export interface LinkDeps {
  readonly storage: StorageDriver
  readonly layout: AreaLayout
  readonly paths: PathRules
  readonly linkSecrets: readonly string[]
  readonly now: () => Date
  /** Maximum number of segments in a path that is written; absent means unlimited. */
  readonly maxDepth?: number | undefined
  /** Time limit for all requests to the store; absent means none. */
  readonly limitMs?: number | undefined
  /** The same for uploads, which depend on the sender's speed. */
  readonly uploadMs?: number | undefined
  /** Resolves to false if the link's tenant is over its rate limit. */
  readonly countRequest?: ((tenant: string) => Promise<boolean>) | undefined
}

/** What a verified link grants. */
interface Linked extends TokenClaims {
  readonly files: CallerFiles
  /** Aborts when the client disconnects or the time is up. */
  readonly signal: AbortSignal
}

/** A link to verify, with its path already parsed. */
interface LinkedRequest {
  readonly purpose: LinkPurpose
  readonly path: FolderPath
  readonly token: string
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal | undefined
}

/** Links have the same limits as callers of the API. */
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
 * Does not query the store: only a link's holder may learn what exists.
 *
 * @throws {AppError} `forbidden` or `rate_limited`.
 */
export async function openLinked(deps: LinkDeps, request: LinkedRequest): Promise<Linked> {
  const { storage, layout, paths, linkSecrets, now, maxDepth = Infinity } = deps
  const claims = await verifyLink(linkSecrets, request.token, request, now())
  // Only after verification: forged links must not use up a tenant's rate limit.
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
