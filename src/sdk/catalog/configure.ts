/** Puts the APIs of an installation together: what was compiled, and the secrets it names. */
import { InvalidConfig } from '../../config.ts'
import { accessTokens } from '../secrets/access-tokens.ts'
import { Catalog, type CatalogTexts } from './catalog.ts'
import type { Apis } from '../call/run-apis.ts'
import { ToolLists } from '../upstream/tool-lists.ts'

/** What an entry hands over. */
export interface ApiSettings {
  /** Settings and secrets by name. */
  readonly env: Readonly<Record<string, unknown>>
  readonly allowsLoopback: boolean
  readonly now: () => Date
}

/**
 * Absent where no API is configured.
 *
 * @throws {InvalidConfig} naming a secret that is missing.
 */
export function configureApis(texts: CatalogTexts, settings: ApiSettings): Apis | undefined {
  const catalog = new Catalog(texts)
  if (catalog.apis.length === 0) return undefined
  const secretOf = (name: string) => {
    const value = settings.env[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  for (const { name, auth } of catalog.apis) {
    if (!auth || auth.secret === '' || secretOf(auth.secret) !== undefined) continue
    throw new InvalidConfig(auth.secret, `is required: it is the secret of the API ${name}`)
  }
  const { allowsLoopback, now } = settings
  const send: typeof fetch = (...request) => fetch(...request)
  const fetchAccessToken = accessTokens({ fetch: send, allowsLoopback, now })
  const toolLists = new ToolLists(now)
  return { catalog, secretOf, fetch: send, allowsLoopback, fetchAccessToken, toolLists }
}
