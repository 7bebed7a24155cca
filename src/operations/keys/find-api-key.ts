/** Finds who an API key belongs to. */
import type { ApiKeyOwner } from '../../settings.ts'

/**
 * The owner by the SHA-256 of the key in hex; `undefined` if there is none, or no longer. Rejects
 * with `storage_unavailable` if that cannot be told.
 */
export type FindApiKey = (hash: string) => Promise<ApiKeyOwner | undefined>

/** The keys of the settings. */
export function configuredKeys(owners: ReadonlyMap<string, ApiKeyOwner>): FindApiKey {
  return async (hash) => owners.get(hash)
}
