/** A value that views watch: the only state of the page, and it flows one way. */

export interface Cell<T> {
  get(): T
  /** Tells everybody who watches, unless nothing changed. */
  set(value: T): void
  onChange(look: (value: T) => void): void
  /** Calls at once with what there is, then on every change. */
  watch(look: (value: T) => void): void
}

export function cell<T>(initial: T): Cell<T> {
  const watchers: ((value: T) => void)[] = []
  let current = initial
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const look of watchers) look(value)
    },
    onChange: (look) => void watchers.push(look),
    watch(look) {
      watchers.push(look)
      look(current)
    },
  }
}
