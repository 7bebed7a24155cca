/** Lets a test decide when something may go on. */

/** A promise and the function that keeps it. */
export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

/** Closed at first. */
export function makeGate(): Gate {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
