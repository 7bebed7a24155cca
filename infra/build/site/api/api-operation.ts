/** How one request of the HTTP API is described, for `openapi.json` and for the documentation alike. */
import type * as z from 'zod'
import type { Scope } from '../../../../src/caller.ts'
import type { FailureCode } from './failures.ts'

export const GROUPS = ['Scripts', 'Files', 'Links', 'Service'] as const

/** One method at one address. */
export interface DescribedRequest {
  /** What generated clients call it; the same as the tool of a model, where there is one. */
  readonly id: string
  readonly group: (typeof GROUPS)[number]
  readonly method: 'get' | 'post' | 'put'
  readonly path: string
  readonly title: string
  readonly description: string
  /** What the token has to allow; absent where none is needed. */
  readonly scopes?: readonly Scope[]
  /** Fields of the address. */
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  /** Fields of a JSON body, or any bytes. */
  readonly body?: z.ZodType | 'bytes'
  readonly answers: readonly Answer[]
  readonly failures: readonly FailureCode[]
  /** Whether failures come in the envelope of `/fs`. */
  readonly hasEnvelope?: boolean
}

/** With a request to show. */
export interface ApiOperation extends DescribedRequest {
  readonly example: ExampleRequest
}

/** One way in which a request succeeds. */
export interface Answer {
  readonly status: 200 | 201 | 206 | 302 | 304
  readonly description: string
  /** By content type; bytes where there is no schema. */
  readonly content?: Readonly<Record<string, z.ZodType | 'bytes' | 'events'>>
}

/** A request that works after those before it: all examples together are one session. */
export interface ExampleRequest {
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or for bytes a text. */
  readonly body?: unknown
  /** The operation whose answer holds the link with the token that `query` needs. */
  readonly linkFrom?: string
}
