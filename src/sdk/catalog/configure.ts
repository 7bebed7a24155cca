/** Combines the compiled catalog with the secrets it names. */
import { InvalidConfig } from '../../config.ts'
import { accessTokens } from '../secrets/access-tokens.ts'
import { Catalog, type CatalogTexts } from './catalog.ts'
import type { Apis } from '../call/run-apis.ts'
import { ToolLists } from '../upstream/tool-lists.ts'

export interface ApisOptions {
  /** Settings and secrets by name. */
  readonly env: Readonly<Record<string, unknown>>
  readonly allowsLoopback: boolean
  readonly now: () => Date
}

/** `undefined` if no API is configured. @throws {InvalidConfig} naming a missing secret. */
export function configureApis(texts: CatalogTexts, settings: ApisOptions): Apis | undefined {
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
