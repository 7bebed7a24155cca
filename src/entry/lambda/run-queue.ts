/** Background runs by asynchronous invocation: the function sends events to itself. */
import { AwsClient } from 'aws4fetch'
import type { RunQueue } from '../../operations/runs/run-queue.ts'
import type { Task } from './event.ts'

/** `MaximumEventAgeInSeconds` of the template. */
const KEEPS_MS = 6 * 3600 * 1000

/** Repeating is safe: a run is claimed before it starts. */
const RETRIES = 3
const SEND_MS = 10_000

/**
 * Signs with the role's credentials from the environment. Not the SDK's client: that is another
 * dependency for one request, and the signer is in the bundle already.
 *
 * @param env As the platform sets it.
 */
export function asyncInvocation(env: Readonly<Record<string, string | undefined>>): RunQueue {
  const { AWS_LAMBDA_FUNCTION_NAME: name = '', AWS_REGION: region = '' } = env
  const endpoint = env.AWS_ENDPOINT_URL_LAMBDA ?? `https://lambda.${region}.${domainOf(region)}`
  const url = `${endpoint}/2015-03-31/functions/${encodeURIComponent(name)}/invocations`
  const client = new AwsClient({
    accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
    ...(env.AWS_SESSION_TOKEN && { sessionToken: env.AWS_SESSION_TOKEN }),
    service: 'lambda',
    region,
    retries: RETRIES,
  })
  return {
    async send(ref) {
      const response = await client.fetch(url, {
        method: 'POST',
        headers: { 'X-Amz-Invocation-Type': 'Event' },
        body: JSON.stringify({ run: ref } satisfies Task),
        signal: AbortSignal.timeout(SEND_MS),
      })
      const answer = await response.text()
      if (response.status !== 202) {
        throw new Error(`the function cannot invoke itself: ${response.status} ${answer}`)
      }
    },
    keepsMs: KEEPS_MS,
  }
}

function domainOf(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
}
