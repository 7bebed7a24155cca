/** What the client sends again, and what it leaves alone. */
import { describe, expect, it } from 'vitest'
import { moonbucket, type ClientOptions, type MoonbucketErrorCode } from '../../src/client/index.ts'

const refusal = (status: number, code: MoonbucketErrorCode, after = '0') =>
  Response.json(
    { error: { code, message: 'No.', request_id: 'r1' } },
    { status, headers: { 'Retry-After': after, 'X-Request-Id': 'r1' } },
  )
const answer = () => Response.json({ result: 1, logs: [], files_touched: [] })
const entries = () => Response.json({ success: true, data: { entries: [] } })

type Answer = Response | Error

/** Gives the answers in order, and the last one from then on. */
function scripted(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const sent: { address: string; headers: Headers; body: unknown }[] = []
  const client = moonbucket({
    url: 'https://moonbucket.test/base/',
    token: 'secret',
    async fetch(address, { headers, body }) {
      sent.push({ address, headers: new Headers(headers), body })
      const given = answers[Math.min(sent.length, answers.length) - 1]!
      if (given instanceof Error) throw given
      return given.clone()
    },
    ...options,
  })
  return { client, sent }
}

const broken = new TypeError('fetch failed')

describe('repeats', () => {
  it.each<[string, Answer]>([
    ['429', refusal(429, 'rate_limited')],
    ['503', refusal(503, 'storage_unavailable')],
    ['a broken connection', broken],
  ])('what only reads after %s', async (_, first) => {
    const { client, sent } = scripted([first, entries()])
    expect([await client.files.list(), sent.length]).toEqual([{ entries: [] }, 2])
  })

  it('a change that was refused before it began', async () => {
    const { client, sent } = scripted([
      refusal(503, 'busy'),
      refusal(429, 'rate_limited'),
      entries(),
    ])
    await client.files.append({ path: 'a', content: 'b' })
    expect(sent.length).toBe(3)
  })

  it('a run with the same key', async () => {
    const { client, sent } = scripted([broken, refusal(409, 'conflict'), answer()])
    await client.run('return 1')
    const keys = new Set(sent.map(({ headers }) => headers.get('Idempotency-Key')))
    expect([sent.length, keys.size, [...keys][0]]).toEqual([3, 1, expect.any(String)])
  })

  it('a blob, but not a stream', async () => {
    const { client, sent } = scripted([refusal(429, 'rate_limited'), entries()])
    await client.files.upload('a', new Blob(['a']))
    expect(sent.length).toBe(2)
    const once = scripted([refusal(429, 'rate_limited'), entries()])
    const upload = once.client.files.upload('a', new Blob(['a']).stream(), { size: 1 })
    await expect(upload).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 0 })
    expect(once.sent.length).toBe(1)
  })

  it('with a new token, if there is one', async () => {
    const tokens: (string | undefined)[] = []
    const { client, sent } = scripted([refusal(401, 'unauthenticated'), entries()], {
      token: async (refused) => (tokens.push(refused), refused === undefined ? 'old' : 'new'),
    })
    await client.files.list()
    expect(sent.map(({ headers }) => headers.get('Authorization'))).toEqual([
      'Bearer old',
      'Bearer new',
    ])
    expect(tokens).toEqual([undefined, 'old'])
  })
})

describe('does not repeat', () => {
  it.each<[string, Answer]>([
    ['a broken connection', broken],
    ['503', refusal(503, 'storage_unavailable')],
    ['500', refusal(500, 'internal')],
  ])('a change after %s', async (_, first) => {
    const { client, sent } = scripted([first])
    await expect(client.files.append({ path: 'a', content: 'b' })).rejects.toThrow()
    expect(sent.length).toBe(1)
  })

  it('a run without a key', async () => {
    const { client, sent } = scripted([broken], { retries: 0 })
    await expect(client.run('return 1')).rejects.toMatchObject({ code: 'unreachable', status: 0 })
    expect([sent.length, sent[0]?.headers.get('Idempotency-Key')]).toEqual([1, null])
  })

  it('what has to wait for longer than a minute', async () => {
    const { client, sent } = scripted([refusal(429, 'rate_limited', '3600')])
    await expect(client.files.list()).rejects.toMatchObject({ retryAfter: 3600, requestId: 'r1' })
    expect(sent.length).toBe(1)
  })

  it('a redirection, which would take the token elsewhere', async () => {
    const moved = new Response('<html>', { status: 301, headers: { Location: 'https://other' } })
    const { client } = scripted([moved])
    await expect(client.usage()).rejects.toMatchObject({ code: 'unexpected', status: 301 })
  })
})

it('follows a run across breaks, without an event twice', async () => {
  const part = (text: string, ends: boolean) =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text))
          if (ends) controller.close()
        },
        pull: (controller) => controller.error(new TypeError('terminated')),
      }),
    )
  const parts = [
    part('id: a-0.0\nevent: log\ndata: {"line":"one"}\n\n', false),
    part('id: a-0.1\nevent: log\ndata: {"line":"two"}\n\n', true),
    part(
      'id: a-end\nevent: result\ndata: {"result":3}\n\nevent: stats\ndata: {"fuel":1}\n\n',
      true,
    ),
  ]
  const asked: (string | null)[] = []
  const follower = moonbucket({
    url: 'https://moonbucket.test',
    token: 't',
    async fetch(_, { headers }) {
      asked.push(new Headers(headers).get('Last-Event-ID'))
      return parts.shift()!
    },
  })
  const events = []
  for await (const event of follower.follow('abc').events()) events.push(event)
  expect(events).toEqual([
    { type: 'log', line: 'one' },
    { type: 'log', line: 'two' },
    { type: 'answer', answer: { result: 3 }, stats: { fuel: 1 } },
  ])
  expect(asked).toEqual([null, 'a-0.0', 'a-0.1'])
})

it('sends to the address it was given', async () => {
  const { client, sent } = scripted([answer()])
  await client.runs.get({ id: 'a b', wait: 2 })
  await client.run('return 1', { args: { a: 1 } })
  expect(sent.map(({ address, body }) => [address, body])).toEqual([
    ['https://moonbucket.test/base/runs/a%20b?wait=2', undefined],
    ['https://moonbucket.test/base/execute', '{"script":"return 1","args":{"a":1}}'],
  ])
})
