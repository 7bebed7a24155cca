/** Sends requests to JSON routes and returns their responses. */
import type { ExecutionContext, Hono } from 'hono'
import { expect } from 'vitest'
import { ORIGIN, type Claims } from './make-app.ts'

/** The part of an app that requests need. */
export interface Callable {
  readonly app: Pick<Hono, 'request'> | { request: Hono['request'] }
  tokenOf(claims?: Claims): Promise<string>
}

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

/** `status code: message` of a response that is nothing but an error, in the form that all have. */
export async function refusalOf(response: Response): Promise<string> {
  const body = (await response.json()) as { error: { code: string; message: string } }
  const { code, message } = body.error
  const request_id = response.headers.get('X-Request-Id')
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json\b/)
  expect(body).toEqual({ error: { code, message, request_id } })
  return `${response.status} ${code}: ${message}`
}

/** {@link refusalOf} an input that does not fit. */
export const invalid = (message: string) => `422 invalid_request: ${message}`

/** What a platform gives along with a request, and the work that it is asked to wait for. */
export function makeContext(): { context: ExecutionContext; kept: Promise<unknown>[] } {
  const kept: Promise<unknown>[] = []
  const waitUntil = (work: Promise<unknown>) => void kept.push(work)
  return { context: { waitUntil, passThroughOnException: () => {}, props: {} }, kept }
}
