/** A day of 200 actions by six callers: every one is in the audit trail once, and no secret is. */
import { expect, it, vi } from 'vitest'
import { LINK_SECRET, makeApp, type Claims } from '../../support/make-app.ts'
import { TEST_SECRET } from '../../support/sign-token.ts'

const ACTIONS = 200

/** What an action should leave behind. */
type Expected = readonly [event: string, op: string, path: string | undefined]

it('has every action once, and nothing in it opens a door', async () => {
  const env = { AUDIT: 'store', AUDIT_PATHS: 'plain' }
  const made = await makeApp({ env })
  const other = `${made.tenant}-2`
  const callers: Claims[] = [
    { sub: 'alice' },
    { sub: 'bob' },
    { sub: 'companion' },
    { sub: undefined },
    { sub: 'alice', tenant: other },
    { sub: 'eve@example.com', tenant: other },
  ]
  const secrets = new Set<string>([TEST_SECRET, LINK_SECRET])
  const wanted: string[] = []

  for (let i = 0; i < ACTIONS; i++) {
    const claims = callers[i % callers.length]!
    const token = await made.tokenOf(claims)
    secrets.add(token)
    const request_id = `request-${i}`
    const send = (path: string, init: RequestInit = {}, own = token) =>
      made.app.request(new URL(path, 'https://moonbucket.test').href, {
        ...init,
        headers: { Authorization: `Bearer ${own}`, 'X-Request-Id': request_id },
      })
    const post = (path: string, body: object) =>
      send(path, { method: 'POST', body: JSON.stringify(body) })
    const expected = await act(i, { send, post })
    const tenant = claims.tenant ?? made.tenant
    const user = 'sub' in claims ? (claims.sub ?? null) : 'alice'
    for (const each of expected) wanted.push(JSON.stringify([request_id, tenant, user, ...each]))
  }

  async function act(i: number, { send, post }: Sender): Promise<Expected[]> {
    const path = `day/file-${i}.txt`
    switch (i % 10) {
      case 0: {
        const secret = `script text ${i}`
        secrets.add(secret)
        await post('/execute', { script: `-- ${secret}\nfile.save(args, args)`, args: path })
        return [
          ['run', 'ok', undefined],
          ['change', 'write', path],
        ]
      }
      case 1:
        await post('/execute', { script: 'error("x")' })
        return [['run', 'runtime', undefined]]
      case 2:
        await post('/fs/write', { path, content: 'one two' })
        return [['change', 'write', path]]
      case 3:
        await send(`/fs/content?path=${path}`, { method: 'PUT', body: 'bytes' })
        return [['change', 'put_content', path]]
      case 4: {
        const { link } = await answerOf(await post('/links', { path: '.' }))
        keep(link!)
        return [['link', 'links', '.']]
      }
      case 5: {
        await post('/fs/write', { path, content: 'one' })
        const { link } = await answerOf(await post('/links', { path }))
        keep(link!)
        await (await send(link!)).text()
        return [
          ['change', 'write', path],
          ['link', 'links', path],
          ['opened', 'get', path],
        ]
      }
      case 6: {
        const { url } = await answerOf(await post('/links/upload', { path }))
        keep(url)
        await send(url, { method: 'PUT', body: 'up' })
        return [
          ['link', 'links/upload', path],
          ['change', 'upload', path],
        ]
      }
      case 7: {
        const poor = await made.tokenOf({ ...callers[i % callers.length], scope: 'files:read' })
        secrets.add(poor)
        await send('/fs/delete', { method: 'POST', body: JSON.stringify({ path }) }, poor)
        return [['denied', '403', undefined]]
      }
      case 8:
        await post('/fs/read', { path: 'nothing' })
        return []
      default:
        await post('/reports', { title: 'T', content: `report ${i}` })
        return [['change', 'reports', undefined]]
    }
  }

  function keep(link: string): void {
    const { searchParams } = new URL(link)
    secrets.add(searchParams.get('token')!)
  }

  async function trail(): Promise<Record<string, unknown>[]> {
    const texts = { ...(await made.textsUnder()), ...(await made.textsUnder(`${other}/`)) }
    return Object.entries(texts)
      .filter(([key]) => key.includes('/audit/'))
      .flatMap(([, text]) => text.trimEnd().split('\n'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  await vi.waitFor(async () => expect(await trail()).toHaveLength(wanted.length), 10_000)
  const found = (await trail()).map((event) => {
    const { event: name, request_id, tenant, user, op, outcome, status, path } = event
    const what = op ?? (name === 'run' ? outcome : String(status))
    const named = typeof path === 'string' && /\/report_\w+\.md$/.test(path) ? undefined : path
    return JSON.stringify([request_id, tenant, user, name, what, named])
  })
  expect(found.sort()).toEqual(wanted.sort())
  expect(made.events.filter(({ event }) => event === 'fault')).toEqual([])

  const all = JSON.stringify([await trail(), made.events])
  expect(secrets.size).toBeGreaterThan(40)
  for (const secret of secrets) expect(all).not.toContain(secret)
})

interface Sender {
  send(path: string, init?: RequestInit, own?: string): Response | Promise<Response>
  post(path: string, body: object): Response | Promise<Response>
}

async function answerOf(response: Response): Promise<{ link?: string; url: string }> {
  return (await response.json()) as { link?: string; url: string }
}
