/** Random requests to every JSON route: responses are documented ones and leak nothing. */
import fc from 'fast-check'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'
import { fuzzedRequest } from './request-bodies.ts'
import { promise, propertyTarget } from './target.ts'

const DOCUMENTED = new Set([200, 202, 400, 401, 403, 404, 406, 409, 413, 415, 422, 429])
const LIMITS = { FUEL: '2000000', TIMEOUT_MS: '20000' }

let made: ReturnType<typeof makeApp> | undefined

export const requests = propertyTarget(
  { shortRuns: 500, longRuns: 100_000 },
  fc.asyncProperty(fuzzedRequest, async ({ route, body, headers }) => {
    made ??= makeApp({ storage: memoryStorage(), env: LIMITS })
    const { app, tokenOf, events } = await made
    events.length = 0
    const response = await app.request(`${ORIGIN}/${route}`, {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${await tokenOf()}` },
      body,
    })
    const text = await response.text()
    const { status } = response
    const faults = JSON.stringify(events.filter(({ event }) => event === 'fault'))
    promise(DOCUMENTED.has(status), () => `${route} answers ${status}: ${text} ${faults}`)
    promise(faults === '[]', () => `${route} answers ${status}, but logs ${faults}`)
    // The protocol's number for a fault of the server; its library also gives it to bad parameters, which it lists.
    promise(!/-32603,"message":"(?!\[\\n)/.test(text), () => `${route} answers ${text}`)
    const type = response.headers.get('Content-Type') ?? ''
    const isJson = type.startsWith('application/json')
    if (isJson) JSON.parse(text)
    promise(status < 400 || isJson, () => `${route} answers ${status} with no JSON: ${text}`)
  }),
)
