/** Starts the built Lambda function behind its URL, with a local store that speaks S3. */
import type { LogEvent } from '../../src/operations/log-event.ts'
import { sharedS3 } from '../support/local-s3.ts'
import { bundled } from './bundled.ts'
import { startFunctionUrl } from './function-url.ts'
import { localFunction, type LocalFunction } from './local-function.ts'
import { startLambdaService, type LambdaServiceOptions } from './runs/lambda-service.ts'
import { VARS } from './runtime.ts'

/** A function that answers requests at its URL, and other events where it is invoked. */
export interface StartedLambda extends LocalFunction {
  readonly origin: string
  /** Ends every process, whatever it does; the next event starts another. */
  killAll(): Promise<void>
  /** What it has logged so far. */
  readonly events: LogEvent[]
}

/** @throws when the bundle cannot be built; a function that cannot start answers 502. */
export async function startLambda(
  vars: Readonly<Record<string, string>> = {},
  timeoutMs = 60_000,
  delivery: Omit<LambdaServiceOptions, 'invokeAsync'> = {},
): Promise<StartedLambda> {
  const [folder, s3] = await Promise.all([bundled('lambda'), sharedS3()])
  const events: LogEvent[] = []
  let local: LocalFunction | undefined
  const { origin, stop } = await startFunctionUrl((event) => local!.invoke(event))
  const invokeAsync = (event: unknown) => local!.invokeAsync(event)
  const service = await startLambdaService({ ...delivery, invokeAsync })
  local = localFunction({
    folder,
    timeoutMs,
    memoryMb: 512,
    // The function takes its address for one of AWS, with https.
    env: {
      ...VARS,
      ...s3.vars,
      PUBLIC_URL: origin,
      AWS_ENDPOINT_URL_LAMBDA: service.origin,
      ...vars,
    },
    onLine(line) {
      if (line.startsWith('{"event":')) events.push(JSON.parse(line) as LogEvent)
    },
  })
  return {
    ...local,
    origin,
    events,
    killAll: local.stop,
    async stop() {
      await stop()
      await service.stop()
      await local.stop()
    },
  }
}
