/** The request schema for running a script, over HTTP and as a tool. */
import * as z from 'zod'
import { callerAuth, checkCallerAuth } from '../apis/caller-auth.ts'
import { ttlField } from '../links/link-lifetime.ts'
import type { Service } from '../service.ts'
import { once } from '../../lib/once.ts'
import type { ExecuteInput } from './execute-script.ts'

const atLeast = (least: number) =>
  z.int('must be a whole number').min(least, `must be at least ${least}`).optional()

/** Strict: an unknown field is probably a misspelt one. */
export const executeRequest = once(() =>
  z.strictObject({
    script: z.string('must be a string: the Lua source').describe('Lua 5.4 source.'),
    args: z.unknown().optional().describe('Any JSON: the global args of the script.'),
    limits: z
      .strictObject({
        fuel: atLeast(1),
        memory_bytes: atLeast(1),
        timeout_ms: atLeast(1),
        write_bytes: atLeast(0),
        api_calls: atLeast(0),
      })
      .optional()
      .describe('Lower limits than the service has.'),
    commit: z
      .enum(['on_close', 'on_success'], 'must be "on_close" or "on_success"')
      .default('on_close')
      .describe('on_success stores nothing if the script fails.'),
    link_ttl_s: ttlField().describe('Seconds the links live.'),
    auth: callerAuth(),
  }),
)

export type ExecuteRequest = z.output<ReturnType<typeof executeRequest>>

/**
 * @param argsJson `args` as JSON text, which keeps large numbers exact.
 * @throws {AppError} `invalid_request` for credentials that no API takes.
 */
export function toExecuteInput(
  service: Service,
  { limits = {}, ...request }: ExecuteRequest,
  argsJson: string | undefined,
): ExecuteInput {
  const asked = {
    fuel: limits.fuel,
    memoryBytes: limits.memory_bytes,
    runMs: limits.timeout_ms,
    writeBytes: limits.write_bytes,
    apiCalls: limits.api_calls,
  }
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  return {
    script: request.script,
    argsJson,
    limits: Object.fromEntries(given),
    commit: request.commit,
    linkTtlS: request.link_ttl_s,
    callerAuth: checkCallerAuth(request.auth, service),
  }
}
