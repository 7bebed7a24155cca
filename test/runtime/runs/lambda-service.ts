/** The part of AWS Lambda's own API that starts asynchronous invocations, on loopback. */
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { AwsV4Signer } from 'aws4fetch'
import { listen, type Listening } from '../../support/listen.ts'
import { ROLE } from '../lambda-process.ts'

const ROUTE = '/2015-03-31/functions/moonbucket/invocations'

export interface LambdaServiceOptions {
  /** Resolves when the function has ended. */
  readonly invokeAsync: (event: unknown) => Promise<void>
  /** Whether the next event comes twice, as now and then on the platform. */
  readonly isDoubled?: () => boolean
  /** Is told of every event that was taken. */
  readonly onEvent?: (event: unknown) => void
  /** How long an event waits before it is delivered. */
  readonly isHeld?: () => Promise<void>
  /** Is told of an event that failed, which is not tried again. */
  readonly onDeadLetter?: (event: unknown, error: Error) => void
}

/** Takes events like the platform: answers at once, delivers in its own time. */
export async function startLambdaService(options: LambdaServiceOptions): Promise<Listening> {
  const { invokeAsync, isDoubled, isHeld, onEvent, onDeadLetter } = options

  async function deliver(event: unknown): Promise<void> {
    await isHeld?.()
    await invokeAsync(event).catch((error: Error) => onDeadLetter?.(event, error))
  }

  async function take(request: IncomingMessage): Promise<number> {
    const body = await text(request)
    if (request.method !== 'POST' || request.url !== ROUTE) return 404
    if (request.headers['x-amz-invocation-type'] !== 'Event') return 400
    if (request.headers.authorization !== (await signatureOf(request, body))) return 403
    const event: unknown = JSON.parse(body)
    onEvent?.(event)
    void deliver(event)
    if (isDoubled?.()) void deliver(event)
    return 202
  }

  const server = createServer((request, response) => {
    void take(request).then((status) => response.writeHead(status).end())
  })
  return listen(server)
}

/** As the role would have signed it. */
async function signatureOf({ headers, method, url }: IncomingMessage, body: string) {
  const datetime = String(headers['x-amz-date'])
  const signer = new AwsV4Signer({
    method: method!,
    url: `http://${headers.host}${url}`,
    headers: { 'X-Amz-Invocation-Type': 'Event' },
    body,
    accessKeyId: ROLE.AWS_ACCESS_KEY_ID,
    secretAccessKey: ROLE.AWS_SECRET_ACCESS_KEY,
    sessionToken: ROLE.AWS_SESSION_TOKEN,
    service: 'lambda',
    region: ROLE.AWS_REGION,
    datetime,
  })
  return (await signer.sign()).headers.get('authorization')
}
