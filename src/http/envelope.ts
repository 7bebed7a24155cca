/** Sends the `/fs` response envelope over HTTP. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { accepted, refused } from '../operations/envelope.ts'
import { LongText } from '../operations/files/long-text.ts'
import type { AppEnv } from './app-env.ts'

type Headers = Readonly<Record<string, string>>

const HEADERS: Headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

export function accept(c: Context<AppEnv>, data: object, headers: Headers = {}): Response {
  const { content } = data as { readonly content?: unknown }
  if (content instanceof LongText) return acceptLong(c, data, content)
  return c.json(accepted(data, metadataOf(c)), 200, { ...HEADERS, ...headers })
}

function acceptLong(c: Context<AppEnv>, data: object, content: LongText): Response {
  const json = JSON.stringify(accepted({ ...data, content: '' }, metadataOf(c)))
  // Not inside a string, where quotes are escaped.
  const cut = json.indexOf('"content":""') + '"content":"'.length
  const pieces = piecesOf(json.slice(0, cut), content, json.slice(cut))
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = pieces.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
    },
    { highWaterMark: 0 },
  )
  return c.body(body, 200, { ...HEADERS, 'Content-Type': 'application/json' })
}

function* piecesOf(before: string, content: LongText, after: string): Generator<string> {
  yield before
  yield* content.jsonPieces()
  yield after
}

export function refuse(
  c: Context<AppEnv>,
  code: string,
  message: string,
  status: ContentfulStatusCode,
  headers: Headers = {},
): Response {
  return c.json(refused(message, code, metadataOf(c)), status, { ...HEADERS, ...headers })
}

function metadataOf(c: Context<AppEnv>) {
  return { operation: c.req.path.slice('/fs/'.length), request_id: c.var.requestId }
}
