/** Fields that the inputs of several operations have. */
import * as z from 'zod'
import { ENCODINGS } from '../config.ts'

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
