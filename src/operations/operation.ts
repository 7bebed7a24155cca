/** What an operation on files is, to HTTP and to models alike: a name, two schemas and a function. */
import * as z from 'zod'
import { assertScopes, type Scope } from '../caller.ts'
import { ENCODINGS } from '../config.ts'
import { once } from '../lib/once.ts'
import type { RequestContext } from './service.ts'

/** The schemas are the contract: both faces check input against them and describe themselves by them. */
export interface Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  /** The last part of its address. */
  readonly name: string
  /** What models call it. */
  readonly tool: string
  readonly title: string
  /** Tells a model when to use it, and what for. */
  readonly description: string
  /** One that only reads changes nothing. */
  readonly scope: Extract<Scope, `files:${string}`>
  /** Needed as well: one that writes may also tell what it finds. */
  readonly alsoScopes?: readonly Scope[] | undefined
  /** What a model gets that does not ask: it reads every byte of an answer, and a program does not mind. */
  readonly toolDefaults?: Readonly<Record<string, unknown>> | undefined
  /** The most a model gets, whatever it asks for: answers to models hold everything twice. */
  readonly toolMaxima?: Readonly<Record<string, number>> | undefined
  /** Whether it may do away with something that was there. */
  readonly isDestructive: boolean
  /** Whether doing it twice leaves all as doing it once. */
  readonly isIdempotent: boolean
  readonly input: () => Input
  readonly output: () => Output
  run(ctx: RequestContext, input: z.output<Input>): Promise<z.output<Output>>
}

/** Its schemas are made with their first use; it runs for nobody without its scopes. */
export function defineOperation<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return {
    ...operation,
    input: once(operation.input),
    output: once(operation.output),
    async run(ctx, input) {
      // Here, so that no way to it can go without: HTTP, a model over either transport, or another operation.
      assertScopes(ctx.caller, scopesOf(operation))
      return operation.run(ctx, input)
    },
  }
}

/** Everything a caller needs for it. */
export function scopesOf({
  scope,
  alsoScopes = [],
}: Pick<Operation, 'scope' | 'alsoScopes'>): readonly Scope[] {
  return [scope, ...alsoScopes]
}

/** The path of a file or folder; the rules for paths are checked later, with their own sentences. */
export const pathField = (example = 'output/rows.csv') =>
  z.string('must be a string').describe(`Such as ${example}`)

/** A folder, or nothing for the root. */
export const folderField = () =>
  z.string('must be a string').optional().describe('A folder. Left out: the root.')

export const encodingField = () =>
  z
    .enum(ENCODINGS, `must be one of ${ENCODINGS.join(', ')}`)
    .optional()
    .describe('utf-8 for text, base64 for other bytes.')

export const recursiveField = () => z.boolean('must be true or false')

/** How many entries an answer may have. */
export function limitField(fallback: number) {
  return z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1000, 'must be at most 1000')
    .default(fallback)
}
