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
