/** The service with one API of a thousand functions, whose answers the test gives. */
import { createApp } from '../../src/app.ts'
import type { Apis } from '../../src/sdk/call/run-apis.ts'
import { ToolLists } from '../../src/sdk/upstream/upstream-servers.ts'
import { makeApp, ORIGIN, type Answer, type MakeAppOptions } from '../support/make-app.ts'
import { inHeader, inPath, inQuery, makeCatalog } from '../support/make-catalog.ts'
import { signToken } from '../support/sign-token.ts'

export const API_SECRET = 'the/secret+of the API'

const NAMES = Array.from({ length: 1000 }, (_, i) => `list_things_of_kind_${i}`)
const BODY = { contentTypes: ['text/plain'], type: 'string' }
const CATALOG = makeCatalog({
  things: {
    baseUrl: 'https://things.example/v1',
    auth: { type: 'bearer', secret: 'THINGS_TOKEN' },
    calls: {
      ...Object.fromEntries(
        NAMES.map((name) => [name, { method: 'POST', path: '/things', summary: name, body: BODY }]),
      ),
      get_thing: {
        path: '/things/{id}/parts',
        params: [
          inPath('id'),
          inQuery('q'),
          inHeader('X-Note'),
          inQuery('org', { frozen: 'acme' }),
        ],
      },
    },
  },
})

/** Answers in place of the API. */
export type ApiFetch = (url: URL, init: RequestInit) => Response | Promise<Response>

export async function makeApiApp(answer: ApiFetch, options: MakeAppOptions = {}) {
  const made = await makeApp(options)
  const requests: { url: URL; init: RequestInit }[] = []
  const apis: Apis = {
    catalog: CATALOG,
    secretOf: (name) => (name === 'THINGS_TOKEN' ? API_SECRET : undefined),
    async fetch(input, init = {}) {
      const url = new URL(input instanceof Request ? input.url : input)
      requests.push({ url, init })
      return answer(url, init)
    },
    allowsLoopback: false,
    fetchAccessToken: () => Promise.reject(new Error('no API here has one')),
    toolLists: new ToolLists(() => new Date()),
  }
  const app = createApp({ service: { ...made.service, apis } })
  const token = await signToken({ tenant: made.tenant, sub: 'alice' })

  /** Runs a script and gives the answer. */
  async function run(script: string, body: object = {}): Promise<Answer> {
    const response = await app.request(`${ORIGIN}/execute`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ script, ...body }),
    })
    return (await response.json()) as Answer
  }
  return { ...made, app, run, requests, token }
}
