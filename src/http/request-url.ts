/** Input of operations that have it in their URL. */
import type { Context } from 'hono'
import * as z from 'zod'
import type { Operation } from '../operations/operation.ts'
import type { AppEnv } from './app-env.ts'

/** The fields of the path and the query, not validated yet. Text that is no number stays text. */
export function readUrl(c: Context<AppEnv>, { input }: Operation): Record<string, unknown> {
  const texts = { ...c.req.query(), ...c.req.param() }
  const { shape } = input() as z.ZodObject
  const fields = Object.entries(texts).map(([name, text]) => [
    name,
    isNumber(shape[name]) && /^\d{1,15}$/.test(text) ? Number(text) : text,
  ])
  return Object.fromEntries(fields) as Record<string, unknown>
}

function isNumber(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return isNumber(schema.unwrap())
  }
  return schema instanceof z.ZodNumber
}
