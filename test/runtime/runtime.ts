/** A service that runs somewhere, and the settings it has everywhere. */
import type { LogEvent } from '../../src/operations/log-event.ts'
import { SECRETS } from '../support/sign-token.ts'

/** The service in one of its runtimes, as it is built for it. */
export interface Runtime {
  readonly origin: string
  /** What it has logged so far. */
  readonly events: readonly LogEvent[]
  stop(): Promise<void>
}

/** @param vars Settings; a store is the starter's own business. */
export type StartRuntime = (vars: Record<string, string>) => Promise<Runtime>

export const ALLOWED_ORIGIN = 'https://app.example'

/** Building and starting one takes seconds. */
export const START_MS = 120_000

export const VARS = { ...SECRETS, ALLOWED_ORIGINS: ALLOWED_ORIGIN }
