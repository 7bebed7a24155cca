/** An observable value; the page's only state. */

export interface Cell<T> {
  get(): T
  /** Notifies watchers if changed. */
  set(value: T): void
  onChange(look: (value: T) => void): void
  /** Calls at once and on every change. */
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
