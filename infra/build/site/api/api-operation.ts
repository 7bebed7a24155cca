/** Describes an HTTP request, for `openapi.json` and the docs. */
import type * as z from 'zod'
import type { Scope } from '../../../../src/caller.ts'
import type { FailureCode } from './failures.ts'

export const GROUPS = ['Scripts', 'Files', 'Links', 'Service'] as const

export interface DescribedRequest {
  /** Operation id; the MCP tool's name if there is one. */
  readonly id: string
  readonly group: (typeof GROUPS)[number]
  readonly method: 'get' | 'post' | 'put'
  readonly path: string
  readonly title: string
  readonly description: string
  /** Required scopes; absent if none. */
  readonly scopes?: readonly Scope[]
  /** Query parameters. */
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  /** JSON body fields, or raw bytes. */
  readonly body?: z.ZodType | 'bytes'
  readonly answers: readonly Answer[]
  readonly failures: readonly FailureCode[]
  /** Uses the envelope of `/fs`. */
  readonly hasEnvelope?: boolean
}

/** What programs may read in a response. */
export const RESPONSE_HEADERS = {
  'Accept-Ranges': 'Ranges of the file can be requested.',
  'Content-Range': 'Which bytes these are, and of how many.',
  ETag: 'The version of the file, for `If-Match`, `If-None-Match` and `If-Range`.',
  'Retry-After': 'Seconds until a retry may succeed.',
  'Server-Timing': 'Milliseconds of each part of the run.',
  'WWW-Authenticate': 'What is wrong with the token, as in RFC 6750.',
  'X-Fuel-Used': 'What the script has computed, in units of fuel.',
  'X-Request-Id': 'Identifies the request in the log.',
} as const

export type ResponseHeader = keyof typeof RESPONSE_HEADERS

/** With an example request. */
export interface ApiOperation extends DescribedRequest {
  readonly example: ExampleRequest
}

/** A successful response. */
export interface Answer {
  readonly status: 200 | 201 | 206 | 302 | 304
  readonly description: string
  /** By content type; bytes if there is no schema. */
  readonly content?: Readonly<Record<string, z.ZodType | 'bytes' | 'events'>>
  /** Besides the one every response has. */
  readonly headers?: readonly ResponseHeader[]
}

/** Examples run in order, as one session. */
export interface ExampleRequest {
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or text for bytes. */
  readonly body?: unknown
  /** The operation whose response has the link token for `query`. */
  readonly linkFrom?: string
}
