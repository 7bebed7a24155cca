/** Input fields shared by several operations. */
import * as z from 'zod'
import { ENCODINGS } from '../settings.ts'

/** The path rules are checked later, with their own messages. */
export const pathField = (example = 'output/rows.csv') =>
  z.string('must be a string').describe(`Such as ${example}`)

export const folderField = () =>
  z.string('must be a string').optional().describe('A folder. Left out: the root.')

export const encodingField = () =>
  z
    .enum(ENCODINGS, `must be one of ${ENCODINGS.join(', ')}`)
    .optional()
    .describe('utf-8 for text, base64 for other bytes.')

export const recursiveField = () => z.boolean('must be true or false')

export function limitField(fallback: number) {
  return z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1000, 'must be at most 1000')
    .default(fallback)
}
