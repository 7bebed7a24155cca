/** Finds the owner of an API key. */
import type { AuthConfig } from '../../config.ts'
import type { ApiKeyOwner } from '../../settings.ts'

/** By the SHA-256 of the key in hex; `undefined` if there is none, or no longer. */
export type FindApiKey = (hash: string) => Promise<ApiKeyOwner | undefined>

/** The keys of the settings. */
export function configuredKeys(owners: AuthConfig['apiKeys']): FindApiKey {
  return async (hash) => owners.get(hash)
}
