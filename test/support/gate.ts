/** A promise that a test resolves by hand. */

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
