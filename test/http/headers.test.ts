/** What answers say beside their bodies: cost, request ids, and who may read them in a browser. */
import { describe, expect, it } from 'vitest'
import { LINKED } from '../support/linked.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'

const APP = 'https://app.example'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('the cost of a run', () => {
  const script = 'for i = 1, 1000 do end file.save("a", "x") return 1'

  it('is in Server-Timing, part by part', async () => {
    const { post } = await makeApp()
    const { headers } = await post({ script })
    const number = String.raw`\d+(?:\.\d+)?`
    const parts = ['admit', 'vm', 'run', 'storage'].map((part) => `${part};dur=${number}`)
    expect(headers.get('Server-Timing')).toMatch(new RegExp(`^${parts.join(', ')}$`))
  })

  it('is in X-Fuel-Used, and the same for the same script', async () => {
    const { post } = await makeApp()
    const fuelOf = async (text: string) =>
      Number((await post({ script: text })).headers.get('X-Fuel-Used'))
    const fuel = await fuelOf('for i = 1, 1000 do end')
    expect(fuel).toBeGreaterThan(1000)
    expect(await fuelOf('for i = 1, 1000 do end')).toBe(fuel)
    expect(await fuelOf('for i = 1, 2000 do end')).toBeGreaterThan(fuel)
  })

  it('is there for failed runs too', async () => {
    const { post } = await makeApp()
    const { headers } = await post({ script: 'while true do end', limits: { fuel: 5000 } })
    expect(Number(headers.get('X-Fuel-Used'))).toBeGreaterThanOrEqual(5000)
    expect(headers.get('Server-Timing')).toMatch(/^admit;/)
  })

  it('is never in the body', async () => {
    const { post } = await makeApp()
    const response = await post({ script })
    const answer = (await response.json()) as { files_touched: object[] }
    expect(Object.keys(answer)).toEqual(['result', 'logs', 'files_touched'])
    expect(Object.keys(answer.files_touched[0]!)).toEqual([
      'name',
      'op',
      'bytes',
      ...Object.keys(LINKED),
    ])
  })
})

it.each([{ script: '' }, 'no JSON'])('the answer to %j is JSON that nobody keeps', async (body) => {
  const { post } = await makeApp()
  const { headers } = await post(body)
  expect(headers.get('Content-Type')).toMatch(/^application\/json\b/)
  expect(headers.get('Cache-Control')).toBe('no-store')
  if (body === 'no JSON') expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
})

describe('X-Request-Id', () => {
  it.each(['abc', 'req_1-2=', 'x'.repeat(255)])('%s is kept', async (id) => {
    const { post, events } = await makeApp()
    const response = await post({ script: '' }, { 'X-Request-Id': id })
    expect(response.headers.get('X-Request-Id')).toBe(id)
    expect(events).toMatchObject([{ event: 'run', request_id: id }])
  })

  it.each(['has space', 'a"b', '<b>', 'a,b', 'x'.repeat(256)])('%s is replaced', async (id) => {
    const { post, events } = await makeApp()
    const response = await post('', { 'X-Request-Id': id })
    const own = response.headers.get('X-Request-Id')
    expect(own).toMatch(UUID)
    expect(await response.json()).toMatchObject({ error: { request_id: own } })
    expect(JSON.stringify(events)).not.toContain(id)
  })
})

it('X-Request-Id is a new one for each request', async () => {
  const { post } = await makeApp()
  const ids = [await post(''), await post('')].map(({ headers }) => headers.get('X-Request-Id'))
  expect(new Set(ids).size).toBe(2)
})

describe('ALLOWED_ORIGINS', () => {
  const env = { ALLOWED_ORIGINS: `https://other.example, ${APP}` }
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  })

  it.each(['/fs/read', '/fs/content', '/links', '/links/upload', '/reports'])(
    'lets its pages read what %s tells, refusals too',
    async (path) => {
      const { app } = await makeApp({ env })
      const { headers } = await app.request(ORIGIN + path, {
        method: 'POST',
        headers: { Origin: APP },
      })
      expect(headers.get('Access-Control-Allow-Origin')).toBe(APP)
      expect(headers.get('Access-Control-Expose-Headers')).toContain('Retry-After,X-Request-Id')
    },
  )

  it('lets its pages ask before they put a file', async () => {
    const { app } = await makeApp({ env })
    const asked = { Origin: APP, 'Access-Control-Request-Method': 'PUT' }
    const { headers } = await app.request(`${ORIGIN}/fs/content`, {
      method: 'OPTIONS',
      headers: asked,
    })
    expect(headers.get('Access-Control-Allow-Origin')).toBe(APP)
    expect(headers.get('Access-Control-Allow-Methods')).toBe('GET,POST,PUT')
  })

  it('lets its pages ask first', async () => {
    const { app } = await makeApp({ env })
    const { status, headers } = await app.request(`${ORIGIN}/execute`, preflight(APP))
    expect(status).toBe(204)
    expect(headers.get('Access-Control-Allow-Origin')).toBe(APP)
    expect(headers.get('Access-Control-Allow-Methods')).toBe('POST')
    expect(headers.get('Access-Control-Allow-Headers')).toBe('authorization,content-type')
    expect(headers.get('Access-Control-Allow-Credentials')).toBeNull()
    expect(headers.get('Vary')).toContain('Origin')
  })

  it('lets its pages read answers, their headers and refusals', async () => {
    const { post } = await makeApp({ env })
    for (const body of [{ script: '' }, 'not JSON']) {
      const { headers } = await post(body, { Origin: APP })
      expect(headers.get('Access-Control-Allow-Origin')).toBe(APP)
      expect(headers.get('Access-Control-Expose-Headers')).toContain('X-Fuel-Used')
      expect(headers.get('Vary')).toContain('Origin')
    }
  })

  it.each(['https://evil.example', `${APP}.evil.example`, 'http://app.example', 'null'])(
    'gives %s nothing',
    async (origin) => {
      const { app, post } = await makeApp({ env })
      for (const path of ['/execute', '/fs/content', '/links']) {
        const asked = await app.request(ORIGIN + path, preflight(origin))
        expect(asked.headers.get('Access-Control-Allow-Origin')).toBeNull()
      }
      const { headers } = await post({ script: '' }, { Origin: origin })
      expect(headers.get('Access-Control-Allow-Origin')).toBeNull()
    },
  )

  it('is nobody by default', async () => {
    const { app } = await makeApp()
    const { headers } = await app.request(`${ORIGIN}/execute`, preflight(APP))
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull()
  })
})
