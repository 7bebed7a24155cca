/** The baseline service: checks the token, then responds or does one put. */
import type { R2Bucket } from '@cloudflare/workers-types'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { authenticate } from '../../../src/auth/authenticate.ts'
import { tokenVerifier } from '../../../src/auth/verify-token.ts'
import { parseConfig } from '../../../src/config.ts'

const bindings = env as unknown as Readonly<Record<string, unknown>>
const bucket = bindings.FILES as R2Bucket
let body = new Uint8Array()

const app = new Hono()

app.use(authenticate(tokenVerifier(parseConfig(bindings).auth, () => new Date())))

app.post('/answer', (c) => c.json({ result: 2 }))

/** The bytes are already in memory, as after a script has written them. */
app.post('/put', async (c) => {
  const bytes = Number(c.req.query('bytes'))
  if (body.length !== bytes) body = new Uint8Array(bytes).fill(120)
  await bucket.put(`raw/${bytes}`, body)
  return c.json({ bytes })
})

export default app
