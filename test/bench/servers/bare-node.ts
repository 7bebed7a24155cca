/** A bare Hono server on Node that checks tokens: prints its origin. */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { authenticate } from '../../../src/auth/authenticate.ts'
import { tokenVerifier } from '../../../src/auth/verify-token.ts'
import { parseConfig } from '../../../src/config.ts'
import { listen } from '../../support/listen.ts'

const app = new Hono()
app.use(authenticate(tokenVerifier(parseConfig(process.env).auth, () => new Date())))
app.post('/answer', (c) => c.json({ result: 2 }))

console.info((await listen(createServer(getRequestListener(app.fetch)))).origin)
