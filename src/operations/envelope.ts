/** The form of every JSON answer under `/fs`, and of the tools for the same operations. */
import * as z from 'zod'
import type { Operation } from './operation.ts'

/** What an answer belongs to. */
interface Metadata {
  readonly operation: string
  readonly request_id: string
}

const metadataSchema = () => z.strictObject({ operation: z.string(), request_id: z.string() })

export function hasEnvelope({ route }: Pick<Operation, 'route'>): boolean {
  return route?.includes(' /fs/') ?? false
}

/** What was asked for. */
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

/** One sentence that says why not. */
export const refused = (error: string, metadata: Metadata) => ({
  success: false,
  data: null,
  error,
  metadata,
})

export const refusedSchema = () =>
  z.strictObject({
    success: z.literal(false),
    data: z.null(),
    error: z.string().describe('One sentence: the reason, and what to do.'),
    metadata: metadataSchema(),
  })

/** Both in one, and short: models read it again with every request. */
export const eitherSchema = (data: z.ZodType) =>
  z.strictObject({
    success: z.boolean(),
    data: data.nullable(),
    error: z.string().nullable(),
    metadata: z.object(),
  })
