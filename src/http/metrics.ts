/** `GET /metrics`: numbers for the operator's monitoring, in the text format of Prometheus. */
import { Hono } from 'hono'
import { AppError, MissingToken } from '../errors.ts'
import { sha256Hex } from '../lib/crypto.ts'
import type { AppEnv } from './app-env.ts'

export interface Metrics {
  /** What a request must bring as its bearer token. */
  readonly key: string
  text(): string
}

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function metricsRoute({ key, text }: Metrics): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/metrics', async (c) => {
    const sent = /^Bearer +(.+)$/i.exec(c.req.header('Authorization') ?? '')?.[1]
    if (sent === undefined) throw new MissingToken()
    // Hashes, so that the time of the comparison says nothing about the key.
    if ((await hashOf(sent)) !== (await hashOf(key))) {
      throw new AppError('unauthenticated', 'The key is not valid.')
    }
    return c.body(text(), 200, { 'Content-Type': TYPE, 'Cache-Control': 'no-store' })
  })
}

function hashOf(text: string): Promise<string> {
  return sha256Hex(new TextEncoder().encode(text))
}
