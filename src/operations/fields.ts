/** Input fields shared by several operations. */
import * as z from 'zod'
import { ENCODINGS } from '../settings.ts'

export const textField = () => z.string('must be a string')

export const flagField = (fallback: boolean) => z.boolean('must be true or false').default(fallback)

export const countField = (least: number) =>
  z.int('must be a whole number').min(least, `must be at least ${least}`).optional()

/**
 * The path rules are checked later, with their own messages.
 *
 * @param example If it differs from that in the instructions to models.
 */
export const pathField = (example?: string) =>
  example === undefined ? textField() : textField().describe(`Such as ${example}`)

export const folderField = () => textField().optional().describe('A folder; the root by default.')

export const cursorField = () => textField().optional().describe('From the previous response.')

export const encodingField = () =>
  z
    .enum(ENCODINGS, `must be one of ${ENCODINGS.join(', ')}`)
    .optional()
    .describe('utf-8 for text, base64 for other bytes.')

export const limitField = (fallback: number) =>
  z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1000, 'must be at most 1000')
    .default(fallback)
