/** Official clients sign in at the service itself: by registration, and by a document of their own. */
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { signInAndCall } from '../../runtime/suite-sign-in.ts'
import { serveApp } from '../site/serve-app.ts'
import { TESTED_KINDS } from './official-clients.ts'
import { Host, signInVars } from './sign-in-host.ts'

const service = await serveApp({ env: await signInVars('acme') })
const { fetch: realFetch } = globalThis

afterEach(() => {
  vi.unstubAllGlobals()
})
afterAll(() => service.stop())

describe.each(TESTED_KINDS)('$name', (kind) => {
  it('registers, signs in, runs a script and renews its token', async () => {
    await signInAndCall(kind, service.origin, realFetch)
  })

  it('signs in by its document, without registering', async () => {
    const address = `https://host.example/${crypto.randomUUID()}.json`
    const fetched: string[] = []
    vi.stubGlobal('fetch', async (input: string) => {
      fetched.push(input)
      const redirect_uris = ['http://127.0.0.1/callback']
      return Response.json({ client_id: address, client_name: 'Host', redirect_uris })
    })
    const sent: string[] = []
    const watching: typeof fetch = (input, init) => {
      sent.push(new URL(String(input)).pathname)
      return realFetch(input, init)
    }
    await signInAndCall(kind, service.origin, watching, new Host(address))
    expect(fetched).toEqual([address])
    expect(sent).not.toContain('/register')
  })
})
