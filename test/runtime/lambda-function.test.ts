/** What is peculiar to the Lambda function: its events, its limits, its start. */
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { sharedS3 } from '../support/local-s3.ts'
import { signToken } from '../support/sign-token.ts'
import type { LocalFunction } from './local-function.ts'
import { startLambda } from './start-lambda.ts'

/** It takes the address in its events for its own. */
const OWN_ADDRESS = { PUBLIC_URL: '' }

const s3 = await sharedS3()
const usual = await startLambda(OWN_ADDRESS)
afterAll(() => usual.stop())

/** With settings of its own. */
async function start(vars: Readonly<Record<string, string>>, timeoutMs?: number) {
  const one = await startLambda({ ...OWN_ADDRESS, ...vars }, timeoutMs)
  onTestFinished(() => one.stop())
  return one
}

/** As AWS makes it for a function URL. */
async function eventFor(method: string, path: string, fields: object = {}) {
  const token = await signToken({ tenant: 'events', sub: 'alice' })
  const [rawPath, rawQueryString = ''] = path.split('?')
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: { authorization: `Bearer ${token}`, host: 'made-up.example' },
    requestContext: {
      accountId: 'anonymous',
      domainName: 'abc.lambda-url.eu-west-1.on.aws',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: '' },
      stage: '$default',
    },
    isBase64Encoded: false,
    ...fields,
  }
}

async function ask(one: LocalFunction, event: unknown) {
  const { head, body } = await one.invoke(event)
  const answer = await text(body)
  return { status: head.statusCode, headers: head.headers ?? {}, answer }
}

describe('an event', () => {
  it.each([
    ['of nothing', {}],
    ['that is null', null],
    ['of a bucket', { Records: [{ eventSource: 'aws:s3', s3: { object: { key: 'a' } } }] }],
    [
      'of a REST API',
      {
        resource: '/{proxy+}',
        path: '/health',
        httpMethod: 'GET',
        headers: {},
        requestContext: { domainName: 'a.execute-api.eu-west-1.amazonaws.com', stage: 'prod' },
        body: null,
        isBase64Encoded: false,
      },
    ],
    [
      'of a load balancer',
      {
        requestContext: { elb: { targetGroupArn: 'arn' } },
        httpMethod: 'GET',
        path: '/health',
        headers: {},
        body: '',
        isBase64Encoded: false,
      },
    ],
  ])('%s is refused, and the next is answered', async (_, event) => {
    await expect(usual.invoke(event)).rejects.toMatchObject({
      errorType: 'NotAnHttpEvent',
      message: 'only function URL events of payload format 2.0 are supported',
    })
    expect(await ask(usual, await eventFor('GET', '/health'))).toMatchObject({ status: 200 })
  })

  it('with a body in broken base64 gets 400 and changes nothing', async () => {
    const fields = { body: 'AAAA*AAA', isBase64Encoded: true }
    const put = await ask(usual, await eventFor('PUT', '/fs/content?path=a', fields))
    expect([put.status, JSON.parse(put.answer)]).toEqual([
      400,
      {
        error: {
          code: 'malformed',
          message: 'The request cannot be read.',
          request_id: expect.any(String),
        },
      },
    ])
    const get = await ask(usual, await eventFor('GET', '/fs/content?path=a'))
    expect(get.status).toBe(404)
  })

  it('may be as large as the platform lets it be', async () => {
    const bytes = Buffer.alloc(4_700_000, 'moon')
    const fields = { body: bytes.toString('base64'), isBase64Encoded: true }
    const put = await ask(usual, await eventFor('PUT', '/fs/content?path=large', fields))
    expect([put.status, JSON.parse(put.answer)]).toMatchObject([
      200,
      { data: { path: 'large', bytes: 4_700_000 } },
    ])
  })
})

describe('the function', () => {
  const execute = async (script: string) =>
    eventFor('POST', '/execute', { body: JSON.stringify({ script }) })

  it('makes links to its own address, whatever host the client names', async () => {
    const script = 'io.open("a.txt", "w"):write("a"):close()'
    const { answer } = await ask(usual, await execute(script))
    const { files_touched: rows } = JSON.parse(answer)
    expect(rows[0].link).toMatch(
      /^https:\/\/abc\.lambda-url\.eu-west-1\.on\.aws\/files\/out\?path=a\.txt&token=/,
    )
  })

  it('lets the store send what a link opens, and take uploads of a known size', async () => {
    await ask(usual, await execute('io.open("b.txt", "w"):write("b"):close()'))
    const link = JSON.parse(
      (await ask(usual, await eventFor('POST', '/links', { body: '{"path":"b.txt"}' }))).answer,
    ).link
    const { pathname, search } = new URL(link)
    const opened = await ask(usual, await eventFor('GET', pathname + search))
    expect([opened.status, opened.headers.location?.startsWith(s3.endpoint)]).toEqual([302, true])

    const body = '{"path":"c.txt","bytes":5}'
    const upload = await ask(usual, await eventFor('POST', '/links/upload', { body }))
    expect(JSON.parse(upload.answer).url.startsWith(s3.endpoint)).toBe(true)
  })

  it('has the credentials of its role, unless it is given others', async () => {
    const { accessKeyId, secretAccessKey } = s3.settings
    const role = {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: '',
    }
    const one = await start({ ...role, S3_ACCESS_KEY_ID: '', S3_SECRET_ACCESS_KEY: '' })
    const { status } = await ask(one, await eventFor('GET', '/health/ready'))
    expect(status).toBe(200)
  })

  it('ends a run before the platform ends the function', async () => {
    const one = await start({}, 4_000)
    const { status, answer } = await ask(one, await execute('while true do end'))
    expect([status, JSON.parse(answer).error.kind]).toEqual([200, 'timeout'])
  })

  it('names requests as the platform does, unless the client does', async () => {
    const event = await eventFor('GET', '/nowhere')
    const { headers, answer } = await ask(usual, event)
    expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
    expect(JSON.parse(answer).error.request_id).toBe(headers['x-request-id'])
    const named = { ...event, headers: { 'x-request-id': 'mine' } }
    expect((await ask(usual, named)).headers['x-request-id']).toBe('mine')
  })

  it('logs one line of JSON for each run', async () => {
    usual.events.length = 0
    await ask(usual, await execute('return 1'))
    // The log comes through a pipe of its own, perhaps after the answer.
    await expect.poll(() => usual.events.length).toBeGreaterThan(0)
    expect(usual.events).toMatchObject([{ event: 'run', tenant: 'events', outcome: 'ok' }])
  })

  it.each([
    [{ LINK_SECRET: '' }, 'LINK_SECRET: is required'],
    [{ FUEL: 'much' }, 'FUEL: must be a whole number above 0'],
    [{ S3_BUCKET: '' }, 'S3_BUCKET: is required with STORAGE=s3'],
    [{ STORAGE: 'r2' }, 'STORAGE: must be s3 here'],
  ])('does not start with %j', async (vars, message) => {
    const one = await start(vars)
    await expect(one.invoke(await eventFor('GET', '/health'))).rejects.toMatchObject({
      errorType: 'InvalidConfig',
      message,
    })
  })
})
