/** Validates a caller's input against a schema. */
import type * as z from 'zod'
import { AppError } from '../errors.ts'

/** @throws {AppError} `invalid_request`, naming the field. */
export function checkInput<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
): z.output<Schema> {
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  const { path, message } = checked.error.issues[0]!
  const sentence = path.length === 0 ? message : `${path.join('.')}: ${message}`
  throw new AppError('invalid_request', sentence)
}
