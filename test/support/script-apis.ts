/** APIs for one run with a fake network. */
import { DEFAULT_LIMITS, type RunLimits } from '../../src/limits.ts'
import { accessTokens } from '../../src/sdk/secrets/access-tokens.ts'
import type { CallerCredential } from '../../src/sdk/secrets/credentials.ts'
import { runApis, type RunApisOptions } from '../../src/sdk/call/run-apis.ts'
import { ToolLists } from '../../src/sdk/upstream/upstream-servers.ts'
import type { ScriptApis } from '../../src/vm/library/library-host.ts'
import { makeCatalog, type ApiSketches } from './make-catalog.ts'

/** Anything but a `Response` is sent as JSON. */
export type AnswerFetch = (request: Request) => unknown

export interface ScriptApisOptions {
  readonly limits?: Partial<RunLimits>
  readonly secrets?: Readonly<Record<string, string>>
  readonly callerAuth?: Readonly<Record<string, CallerCredential>>
  readonly signal?: AbortSignal
  /** What is left of the run's time; unlimited by default. */
  readonly leftMs?: number
  readonly onRedirect?: RunApisOptions['onRedirect']
}

export function scriptApis(
  sketches: ApiSketches,
  answer: AnswerFetch,
  options: ScriptApisOptions = {},
): ScriptApis {
  const send: typeof fetch = async (...request) => {
    const answered = await answer(new Request(...request))
    return answered instanceof Response ? answered : Response.json(answered)
  }
  const allowsLoopback = false
  return runApis({
    catalog: makeCatalog(sketches),
    secretOf: (name) => options.secrets?.[name],
    fetch: send,
    allowsLoopback,
    fetchAccessToken: accessTokens({ fetch: send, allowsLoopback, now: () => new Date() }),
    toolLists: new ToolLists(() => new Date()),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    callerAuth: new Map(Object.entries(options.callerAuth ?? {})),
    secrets: ['a secret of the service that signs links'],
    ending: {
      signal: options.signal ?? new AbortController().signal,
      ...(options.leftMs !== undefined && { leftMs: options.leftMs }),
    },
    onRedirect: options.onRedirect,
  })
}
