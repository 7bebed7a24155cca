/**
 * Bridges synchronous Lua and the asynchronous host with JavaScript Promise Integration (JSPI). A
 * script may be suspended in any import marked here.
 */

interface PromiseIntegration {
  readonly Suspending?: new (fn: (...values: never[]) => unknown) => WebAssembly.ImportValue
  readonly promising?: (fn: unknown) => (...values: number[]) => Promise<number>
}

const integration = WebAssembly as unknown as PromiseIntegration

/** @throws if the runtime lacks JSPI. */
export function assertCanSuspend(): void {
  if (integration.Suspending && integration.promising) return
  throw new Error(
    'Moonbucket needs WebAssembly JavaScript Promise Integration: run it on Node 24 or newer, or on a current workerd',
  )
}

/** An import that suspends the script until its promise settles. */
export function suspending(fn: (...values: never[]) => unknown): WebAssembly.ImportValue {
  return new integration.Suspending!(fn)
}

/** An export whose imports may suspend; returns a promise. */
export function promising(fn: unknown): (...values: number[]) => Promise<number> {
  return integration.promising!(fn)
}
