/** Answers that are often known at once: a plain value lets the VM go on without suspending. */

/** A plain value whenever the answer is known, a promise only when someone has to be asked. */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with the value: now if it is here, later if it is not. */
export function andThen<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
