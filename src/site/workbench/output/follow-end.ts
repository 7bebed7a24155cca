/** Keeps the end of growing text in view until the user scrolls up. */

/** Tolerance in pixels. */
const NEAR_PX = 40

export interface EndFollower {
  /** Call after adding. */
  toEnd(): void
  /** Call after clearing: follows again. */
  restart(): void
}

export function followEnd(element: HTMLElement): EndFollower {
  let isFollowing = true
  let lastTop = 0
  const isAtEnd = () => element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX
  const toEnd = () => {
    if (!isFollowing) return
    element.scrollTop = element.scrollHeight
    lastTop = element.scrollTop
  }
  element.addEventListener('scroll', () => {
    // Shrinking the element is not scrolling up.
    isFollowing = isAtEnd() || (isFollowing && element.scrollTop >= lastTop)
  })
  new ResizeObserver(toEnd).observe(element)
  return {
    toEnd,
    restart() {
      isFollowing = true
      lastTop = 0
    },
  }
}
