/**
 * Makes something when it is first asked for, and keeps it. Schemas are made so: to build all of them would double the
 * time that a Worker takes to start, and a request needs one or two.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
