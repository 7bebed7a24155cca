/** Keeps the end of a growing text in view, until somebody scrolls up to read. */

/** Near enough to the end to mean it. */
const NEAR_PX = 40

export interface EndFollower {
  /** When something was added. */
  toEnd(): void
  /** When everything was taken away: what comes next is followed again. */
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
    // An element that became smaller is not at its end any more, but nobody has scrolled up.
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
