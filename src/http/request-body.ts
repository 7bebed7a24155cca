/** Reads JSON bodies: within a limit, with integers exact, against a schema. */
import type { Context } from 'hono'
import * as z from 'zod'
import { AppError } from '../errors.ts'

/** What scripts take as `args`, and the body around it. */
const MAX_LEVELS = 201

/**
 * @throws {AppError} `too_large`, `malformed` for what is not JSON, `invalid_request` for what the
 * schema refuses, naming the field.
 */
export async function readJson<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
  maxBytes: number,
): Promise<z.output<Schema>> {
  const checked = schema.safeParse(parseJson(await readText(c.req.raw, maxBytes)))
  if (checked.success) return checked.data
  throw new AppError('invalid_request', describeIssue(checked.error.issues[0]!))
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const tooLarge = () => new AppError('too_large', `The body is larger than ${maxBytes} bytes.`)
  if (Number(request.headers.get('Content-Length')) > maxBytes) throw tooLarge()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  let text = ''
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge()
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('malformed', 'The body is not UTF-8 text, or ended too early.', { cause })
  }
}

interface SourceText {
  readonly source?: string
}

interface ExactJson {
  rawJSON(text: string): unknown
  parse(
    text: string,
    revive: (key: string, value: unknown, context: SourceText) => unknown,
  ): unknown
}

function parseJson(text: string): unknown {
  const value = parsed(text)
  if (!isWithin(MAX_LEVELS, value)) {
    const message = `The body is nested too deeply: it may hold ${MAX_LEVELS - 1} levels.`
    throw new AppError('invalid_request', message)
  }
  // Only numbers of so many digits can be more exact than JavaScript's; looking at each costs time.
  return /\d{16}/.test(text) ? parseExactly(text) : value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('malformed', 'The body is not valid JSON.', { cause })
  }
}

/** Parsing goes to any depth; what comes after it takes stack, and how much there is differs. */
function isWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value)
  return levels > 0 && items.every((item) => isWithin(levels - 1, item))
}

/** Integers that JavaScript cannot hold stay as they were written, for whoever writes them as JSON again. */
function parseExactly(text: string): unknown {
  const json = JSON as unknown as ExactJson
  return json.parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
      ? json.rawJSON(source)
      : value,
  )
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}
