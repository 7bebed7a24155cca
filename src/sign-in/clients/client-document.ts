/**
 * Clients whose id is the address of a document about them (OAuth Client ID Metadata Document).
 * Anyone can have this service fetch one, so it fetches from public hosts alone, and little.
 */
import { AppError } from '../../errors.ts'
import { isAddress, isLoopback } from '../../lib/host-name.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { clientName, type Client } from './client.ts'
import { isRedirectUri } from './redirect-uri.ts'

const MAX_BYTES = 16_384
const FETCH_MS = 3_000
/** A changed document applies after this time. */
const MAX_AGE_MS = 5 * 60_000
const MAX_CACHED = 100
const MAX_LENGTH = 512
const MAX_REDIRECT_URIS = 20

interface Cached {
  readonly client: Client
  readonly at: number
}

/** By storage-independent id: documents are public. No promises, as everywhere on Workers. */
const cache = new Map<string, Cached>()

export function isDocumentId(id: string): boolean {
  return /^https?:\/\//i.test(id)
}

/** @throws {AppError} `malformed` for a document that is none; `rate_limited`. */
export async function findDocument(ctx: SignInContext, id: string): Promise<Client> {
  const now = ctx.service.now().getTime()
  const known = cache.get(id)
  if (known && Math.abs(now - known.at) < MAX_AGE_MS) return known.client
  const url = addressOf(id, ctx.service.config.allowsLoopbackApis)
  ctx.attempts.count('document', ctx.address)
  const client = clientIn(await fetchDocument(ctx, url), id, url)
  cache.delete(id)
  cache.set(id, { client, at: now })
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_CACHED) break
    cache.delete(oldest)
  }
  return client
}

/** Also how it is written: two spellings of an address must not be two clients. */
function addressOf(id: string, allowsLoopback: boolean): URL {
  const url = id.length <= MAX_LENGTH && !id.includes('#') ? URL.parse(id) : null
  if (!url || url.href !== id || url.pathname === '/' || url.username || url.password) {
    throw refused('its address is not a plain https address with a path')
  }
  const isHere = isLoopback(url)
  if (isHere ? !allowsLoopback : isAddress(url) || !url.hostname.includes('.')) {
    throw refused('its host is not public')
  }
  if (url.protocol !== 'https:' && !(isHere && url.protocol === 'http:')) {
    throw refused('its address is not https')
  }
  return url
}

async function fetchDocument({ service }: SignInContext, url: URL): Promise<unknown> {
  const fetchPublic = service.fetchPublic ?? ((...request) => fetch(...request))
  let text: string
  try {
    const answer = await fetchPublic(url.href, {
      headers: { Accept: 'application/json', 'User-Agent': 'moonbucket' },
      redirect: 'manual',
      signal: AbortSignal.timeout(FETCH_MS),
    })
    const type = answer.headers.get('Content-Type') ?? ''
    const isDocument = answer.status === 200 && /^application\/(?:[\w.-]+\+)?json\b/i.test(type)
    if (!isDocument) {
      await answer.body?.cancel().catch(() => undefined)
      throw refused('there is no such document')
    }
    text = await readSome(answer.body)
  } catch (error) {
    throw error instanceof AppError ? error : refused('it cannot be fetched')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw refused('it is not JSON')
  }
}

async function readSome(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // Leaving the loop cancels the rest.
    if (bytes > MAX_BYTES) throw refused(`it has more than ${MAX_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function clientIn(document: unknown, id: string, { host }: URL): Client {
  const fields = (typeof document === 'object' && document ? document : {}) as Fields
  // Otherwise a host that shows uploads of others would vouch for them.
  if (fields.client_id !== id) throw refused('it names another address')
  const uris = fields.redirect_uris
  const hasUris = Array.isArray(uris) && uris.length > 0 && uris.length <= MAX_REDIRECT_URIS
  if (!hasUris || !uris.every(isRedirectUri)) throw refused('its redirect_uris are not valid')
  const method = fields.token_endpoint_auth_method ?? 'none'
  if (method !== 'none') throw refused('token_endpoint_auth_method must be none')
  return { id, name: clientName(fields.client_name), host, redirectUris: uris }
}

interface Fields {
  readonly client_id?: unknown
  readonly client_name?: unknown
  readonly redirect_uris?: unknown
  readonly token_endpoint_auth_method?: unknown
}

function refused(problem: string): AppError {
  const message = 'The document about the program that sent you here cannot be used'
  return new AppError('malformed', `${message}: ${problem}.`)
}
