/**
 * The only seam between Lua, which is synchronous, and a host that is not: WebAssembly's JavaScript
 * Promise Integration. A script that calls an import marked here may be suspended, wherever it is.
 */

interface PromiseIntegration {
  readonly Suspending?: new (fn: (...values: never[]) => unknown) => WebAssembly.ImportValue
  readonly promising?: (fn: unknown) => (...values: number[]) => Promise<number>
}

const integration = WebAssembly as unknown as PromiseIntegration

/** @throws when the runtime cannot suspend WebAssembly: nothing of the service would work. */
export function assertCanSuspend(): void {
  if (integration.Suspending && integration.promising) return
  throw new Error(
    'Moonbucket needs WebAssembly JavaScript Promise Integration: run it on Node 24 or newer, or on a current workerd',
  )
}

/** An import that suspends the script while the promise it returned is pending. */
export function suspending(fn: (...values: never[]) => unknown): WebAssembly.ImportValue {
  return new integration.Suspending!(fn)
}

/** An export below which imports may suspend; it answers with a promise. */
export function promising(fn: unknown): (...values: number[]) => Promise<number> {
  return integration.promising!(fn)
}
