/** Results that are often available at once: a plain value lets the VM go on without suspending. */

/** A promise only if the result is not available yet. */
export type MaybePromise<T> = T | Promise<T>

/** Continues at once if the value is available. */
export function andThen<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
