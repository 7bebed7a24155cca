/**
 * Runs a function as the Node runtime of Lambda does: asks the Runtime API for events and streams the answers.
 * A process of its own; everything it needs to know is in its environment.
 */
import { Agent, request as send, type ClientRequest, type IncomingMessage } from 'node:http'
import { resolve } from 'node:path'
import { json } from 'node:stream/consumers'

/** A request to the Runtime API, which is the answer to the function's caller. */
interface ResponseStream extends ClientRequest {
  beforeFirstWrite?: (() => void) | undefined
}

type Handler = (event: unknown, stream: ResponseStream, context: object) => Promise<void>

const { AWS_LAMBDA_RUNTIME_API, _HANDLER, LAMBDA_TASK_ROOT } = process.env
const API = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => handler,
    HttpResponseStream: {
      from(stream: ResponseStream, head: object): ResponseStream {
        stream.setHeader('Content-Type', 'application/vnd.awslambda.http-integration-response')
        stream.beforeFirstWrite = () => {
          stream.write(JSON.stringify(head))
          stream.write(Buffer.alloc(8))
        }
        return stream
      },
    },
  },
})

const handler = await load().catch(async (error: Error) => {
  const asking = send(`${API}/init/error`, { method: 'POST', agent })
  asking.end(JSON.stringify(described(error)))
  await answerTo(asking)
  throw error
})
for (;;) await serveOne()

async function load(): Promise<Handler> {
  const [file, name] = _HANDLER!.split('.') as [string, string]
  const module = (await import(resolve(LAMBDA_TASK_ROOT!, `${file}.mjs`))) as Record<
    string,
    Handler
  >
  return module[name]!
}

async function serveOne(): Promise<void> {
  const next = await answerTo(send(`${API}/invocation/next`, { agent }).end())
  const id = String(next.headers['lambda-runtime-aws-request-id'])
  const deadlineMs = Number(next.headers['lambda-runtime-deadline-ms'])
  const event = await json(next)
  const stream = openStream(id)
  const isTaken = answerTo(stream)
  try {
    await handler(event, stream, {
      awsRequestId: id,
      getRemainingTimeInMillis: () => deadlineMs - Date.now(),
    })
    await isTaken
  } catch (error) {
    console.error('Invoke Error', error)
    const told = described(error as Error)
    stream.addTrailers({
      'Lambda-Runtime-Function-Error-Type': told.errorType,
      'Lambda-Runtime-Function-Error-Body': Buffer.from(JSON.stringify(told)).toString('base64'),
    })
    stream.end()
    await isTaken.catch(() => undefined)
  }
}

function openStream(id: string): ResponseStream {
  const stream: ResponseStream = send(`${API}/invocation/${id}/response`, {
    method: 'POST',
    agent,
    headers: {
      'Content-Type': 'application/octet-stream',
      'Lambda-Runtime-Function-Response-Mode': 'streaming',
      Trailer: 'Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body',
      'Transfer-Encoding': 'chunked',
    },
  })
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = (...args: unknown[]) => {
    const { beforeFirstWrite } = stream
    stream.beforeFirstWrite = undefined
    // As there, ending alone sends no head.
    beforeFirstWrite?.()
    return write(...args)
  }
  return stream
}

function answerTo(asking: ClientRequest): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    asking.once('error', fail)
    asking.once('response', (answer) => {
      if (answer.statusCode !== 200) answer.resume()
      done(answer)
    })
  })
}

function described({ name, message, stack }: Error) {
  return { errorType: name, errorMessage: message, trace: stack?.split('\n') ?? [] }
}
