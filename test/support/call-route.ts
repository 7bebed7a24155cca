/** Sends requests to JSON routes and returns their responses. */
import type { Hono } from 'hono'
import { ORIGIN, type Claims } from './make-app.ts'

/** The part of an app that requests need. */
export interface Callable {
  readonly app: Pick<Hono, 'request'> | { request: Hono['request'] }
  tokenOf(claims?: Claims): Promise<string>
}

/** Status and body; code and message for an error. */
export type Told = readonly [number, unknown]

export async function postTo(
  { app, tokenOf }: Callable,
  route: string,
  body: object,
  claims: Claims = {},
): Promise<Response> {
  return app.request(`${ORIGIN}/${route}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await tokenOf(claims)}` },
    body: JSON.stringify(body),
  })
}

export async function told(response: Response): Promise<Told> {
  const body = (await response.json()) as { error?: { code: string; message: string } }
  return [response.status, body.error ? [body.error.code, body.error.message] : body]
}
