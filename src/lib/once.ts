/**
 * Makes a value on first use, and keeps it. For schemas: building all of them would double the
 * start time of a Worker, and a request needs one or two.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
