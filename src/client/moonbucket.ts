/** The client of the service: `moonbucket({ url, token })`. */
import { call, callsOf } from './call.ts'
import { ROUTES, type RouteCalls } from './routes.ts'
import { runner, type Runner } from './runs.ts'
import { sender, type CallOptions, type ClientOptions } from './send.ts'
import { transfers, type Transfers } from './transfer.ts'

type Groups = Omit<RouteCalls, 'own' | 'files'>

export interface Moonbucket extends Runner, Groups {
  readonly files: RouteCalls['files'] & Transfers
  /** What is used of what is allowed; only what is limited. */
  usage(options?: CallOptions): ReturnType<RouteCalls['own']['usage']>
}

/** No request is sent before the first call. */
export function moonbucket(options: ClientOptions): Moonbucket {
  const send = sender(options)
  const { own, ...groups } = ROUTES
  const calls = Object.entries(groups).map(([name, group]) => [name, callsOf(group, send)])
  const { files, ...rest } = Object.fromEntries(calls) as Omit<RouteCalls, 'own'>
  return {
    ...runner(send, options),
    ...rest,
    files: { ...files, ...transfers(send) },
    usage: (given) => call(send, own.usage, {}, given) as ReturnType<RouteCalls['own']['usage']>,
  }
}
