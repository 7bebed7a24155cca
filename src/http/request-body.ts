/** Reads JSON bodies, within limits. */
import type { Context } from 'hono'
import { AppError } from '../errors.ts'
import {
  isModest,
  MAX_COMMAS,
  MAX_CONTAINERS,
  MAX_LEVELS,
  scanJson,
  type JsonShape,
} from '../lib/json/scan-json.ts'
import { freeBuffer } from '../lib/free-buffer.ts'
import { announcedBytes } from './announced-bytes.ts'
import type { AppEnv } from './app-env.ts'

/** How much of a chunked body may be buffered before memory is reserved for it. */
const UNHELD_BYTES = 65_536

interface ReadOptions {
  /** Passed on as raw JSON text: JavaScript numbers would lose precision. */
  readonly exactField?: string | undefined
  /** Transforms the text before it is parsed. */
  readonly prepare?: (text: string) => string
  /** In place of an empty body. */
  readonly whenEmpty?: string
}

/** @throws {AppError} `too_large`, or `malformed` for invalid JSON. */
export async function readJson(
  c: Context<AppEnv>,
  maxBytes: number,
  { exactField, prepare = (text) => text, whenEmpty = '' }: ReadOptions = {},
): Promise<unknown> {
  const text = (await readText(c, maxBytes)) || whenEmpty
  const shape = scanJson(text, exactField)
  assertModest(shape)
  const value = parseJson(prepare(text))
  if (exactField === undefined || shape.field === undefined) return value
  return { ...(value as object), [exactField]: shape.field }
}

function assertModest(shape: JsonShape): void {
  if (isModest(shape)) return
  if (shape.levels > MAX_LEVELS) {
    const message = `The body is nested too deeply: it may hold ${MAX_LEVELS - 1} levels.`
    throw new AppError('invalid_request', message)
  }
  const message = `The body holds too many values: at most ${MAX_CONTAINERS} objects and arrays with ${MAX_COMMAS} values.`
  throw new AppError('too_large', message)
}

/** @throws {AppError} `too_large`, or `malformed` if it is not UTF-8. */
export async function readText(c: Context<AppEnv>, maxBytes: number): Promise<string> {
  const request = c.req.raw
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const announced = announcedBytes(request)
  let bytes = announced ?? 0
  let text = ''
  try {
    assertFits(bytes)
    // The common case. Reading it in one go makes a small request about 5% cheaper.
    if (announced !== undefined) {
      await c.var.memory?.holdBody(announced)
      const body = await request.arrayBuffer()
      const decoded = decoder.decode(body)
      if (announced > UNHELD_BYTES) freeBuffer(body)
      return decoded
    }
    let heldBytes = 0
    for await (const chunk of request.body ?? []) {
      assertFits((bytes += chunk.length))
      if (bytes - heldBytes > UNHELD_BYTES) {
        await c.var.memory?.holdBody(bytes, maxBytes)
        heldBytes += bytes
      }
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('malformed', 'The body is not UTF-8 text, or ended too early.', { cause })
  }

  function assertFits(length: number): void {
    if (length > maxBytes)
      throw new AppError('too_large', `The body is larger than ${maxBytes} bytes.`)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('malformed', 'The body is not valid JSON.', { cause })
  }
}
