/** Serves the prebuilt public site: workbench, documentation and `openapi.json`. */
import { Hono, type Context } from 'hono'
import { contentTypeOf } from '../files/content-type.ts'
import type { AppEnv } from './app-env.ts'
import { matchesTag } from '../lib/etag.ts'

/** The files of the site, wherever the runtime keeps them. */
export interface Site {
  /** By relative name, such as `docs/index.html`; `undefined` if there is no such file. */
  open(name: string): Promise<SiteFile | undefined>
}

export interface SiteFile {
  readonly body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>
  /** As sent in the header. */
  readonly etag: string
}

/** Same-origin resources and requests only; no inline scripts or styles. */
const SITE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/**
 * Compiles WebAssembly, which the pages themselves may not: in a worker, which has no document, no
 * storage and no token.
 */
const WORKER_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'"

const WORKER_NAME = /^assets\/[\w-]+-worker-[A-Z0-9]{8}\.js$/

const HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

const LOCAL_TOKEN = 'local-token.json'

/** At the addresses of their names. */
const FILES = ['docs.md', 'llms.txt', 'llms-full.txt', 'openapi.json']

/** Shown to people at a wrong address below `/docs`; its own address is none. */
const NOT_FOUND_PAGE = 'docs-not-found.html'

/** No segment starts with a dot and nothing is percent-encoded: cannot leave the site's folder. */
const PLAIN_NAME = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/

/** The build puts a content hash into these names, so they can be cached forever. */
const HASHED_NAME = /^assets\/.*-[A-Z0-9]{8}\.\w+$/

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/

/** Set by proxies and tunnels. */
const FORWARDED = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host']

/** All public, without a token. */
export function siteRoutes(site: Site): Hono<AppEnv> {
  const routes = new Hono<AppEnv>()
  for (const path of ['/', '/assets/*', '/docs', '/docs/*', ...FILES.map((name) => `/${name}`)]) {
    // Hono also serves HEAD from this, without the body.
    routes.get(path, (c) => send(c, site, nameOf(c.req.path)))
  }
  return routes.get(`/${LOCAL_TOKEN}`, (c) =>
    isAskedFromHere(c.req.raw) ? send(c, site, LOCAL_TOKEN) : c.notFound(),
  )
}

function nameOf(path: string): string | undefined {
  if (path === '/') return 'index.html'
  if (path === '/docs' || path === '/docs/') return 'docs/index.html'
  const name = path.slice(1)
  if (!PLAIN_NAME.test(name)) return undefined
  return name.startsWith('docs/') && !name.endsWith('.md') ? `${name}.html` : name
}

async function send(c: Context<AppEnv>, site: Site, name: string | undefined): Promise<Response> {
  const file = name === undefined ? undefined : await site.open(name)
  if (name === undefined || !file) return sendNotFound(c, site)
  const headers = {
    ...HEADERS,
    'Content-Security-Policy': WORKER_NAME.test(name) ? WORKER_POLICY : SITE_POLICY,
    ETag: file.etag,
    'Cache-Control': cacheControl(name),
  }
  const isKnown = matchesTag(c.req.header('If-None-Match') ?? '', file.etag)
  if (isKnown || c.req.method === 'HEAD') {
    if (file.body instanceof ReadableStream) await file.body.cancel()
  }
  if (isKnown) return c.body(null, 304, headers)
  const body = c.req.method === 'HEAD' ? null : file.body
  return c.newResponse(body, 200, { ...headers, 'Content-Type': contentTypeOf(name) })
}

/** The ordinary 404, but for people who read the documentation. */
async function sendNotFound(c: Context<AppEnv>, site: Site): Promise<Response> {
  const isReader =
    c.req.method === 'GET' &&
    c.req.path.startsWith('/docs/') &&
    c.req.header('Accept')?.includes('text/html')
  const page = isReader ? await site.open(NOT_FOUND_PAGE) : undefined
  if (!page) return c.notFound()
  const headers = {
    ...HEADERS,
    'Content-Security-Policy': SITE_POLICY,
    'Cache-Control': 'no-store',
    'Content-Type': contentTypeOf(NOT_FOUND_PAGE),
  }
  return c.newResponse(page.body, 404, headers)
}

function cacheControl(name: string): string {
  if (name === LOCAL_TOKEN) return 'no-store'
  return HASHED_NAME.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache'
}

/**
 * The token of `npm run dev` is only for this service's own pages, opened on the same machine. DNS
 * rebinding to 127.0.0.1 shows in the host, tunnels and proxies in their headers.
 */
function isAskedFromHere({ url, headers }: Request): boolean {
  const { host } = new URL(url)
  const origin = headers.get('Origin')
  return (
    LOOPBACK_HOST.test(host) &&
    LOOPBACK_HOST.test(headers.get('Host') ?? host) &&
    (origin === null || URL.parse(origin)?.host === host) &&
    ['same-origin', 'none'].includes(headers.get('Sec-Fetch-Site') ?? 'none') &&
    FORWARDED.every((name) => !headers.has(name))
  )
}
