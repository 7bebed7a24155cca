/** The envelope of JSON responses under `/fs`, and of the corresponding tools. */
import * as z from 'zod'
import type { Operation } from './operation.ts'

interface Metadata {
  readonly operation: string
  readonly request_id: string
}

const metadataSchema = () => z.strictObject({ operation: z.string(), request_id: z.string() })

export function hasEnvelope({ route }: Pick<Operation, 'route'>): boolean {
  return route?.includes(' /fs/') ?? false
}

export const accepted = (data: unknown, metadata: Metadata) => ({
  success: true,
  data,
  error: null,
  metadata,
})

export const acceptedSchema = (data: z.ZodType) =>
  z.strictObject({
    success: z.literal(true),
    data,
    error: z.null(),
    metadata: metadataSchema(),
  })

/** @param error One sentence. */
export const refused = (error: string, code: string, metadata: Metadata) => ({
  success: false,
  data: null,
  error,
  code,
  metadata,
})

export const refusedSchema = () =>
  z.strictObject({
    success: z.literal(false),
    data: z.null(),
    error: z.string().describe('One sentence: the reason, and what to do.'),
    code: z.string().describe('Stable: switch on it. As in the other errors.'),
    metadata: metadataSchema(),
  })

/** Covers both cases, and is short, as models get it with every request: there are more fields. */
export const eitherSchema = (data: z.ZodType) =>
  z.object({
    success: z.boolean(),
    data: data.nullable(),
    error: z.string().nullable(),
  })
