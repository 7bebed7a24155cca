/** Ties a sign-in to the browser in which it began. */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { newId } from '../tokens/issue.ts'

export const MAX_AGE_S = 600

const MARK = /^[0-9a-f]{32}$/

/** Of this host alone. Browsers refuse such cookies on plain http, which only local work uses. */
function cookieFor(baseUrl: string, state?: string) {
  const secure = baseUrl.startsWith('https:')
  const name = state === undefined ? 'sign-in' : `sign-in-${state}`
  return {
    name: secure ? `__Host-${name}` : name,
    options: {
      httpOnly: true,
      secure,
      // An issuer redirects back here from another site.
      sameSite: 'Lax',
      path: '/',
      maxAge: MAX_AGE_S,
    },
  } as const
}

/** The browser's mark; it gets a new one if it has none. Tabs share it. */
export function markBrowser(c: Context, baseUrl: string): string {
  const mark = findBrowser(c, baseUrl) ?? newId()
  const { name, options } = cookieFor(baseUrl)
  setCookie(c, name, mark, options)
  return mark
}

export function findBrowser(c: Context, baseUrl: string): string | undefined {
  const mark = getCookie(c, cookieFor(baseUrl).name)
  return mark !== undefined && MARK.test(mark) ? mark : undefined
}

/** Keeps what belongs to a sign-in at the issuer: too long for its `state`. */
export function keepHandover(c: Context, baseUrl: string, state: string, sealed: string): void {
  const { name, options } = cookieFor(baseUrl, state)
  setCookie(c, name, sealed, options)
}

/** Once. */
export function takeHandover(c: Context, baseUrl: string, state: string): string | undefined {
  if (!MARK.test(state)) return undefined
  const { name, options } = cookieFor(baseUrl, state)
  const sealed = getCookie(c, name)
  if (sealed !== undefined) deleteCookie(c, name, options)
  return sealed
}
