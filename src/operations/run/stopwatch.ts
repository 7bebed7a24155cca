/** Measures consecutive phases of a request. */

/** On deployed Workers the clock advances only during I/O: computing takes no time. */
export function stopwatch(): { lap(): number } {
  let since = performance.now()
  return {
    lap() {
      const now = performance.now()
      const ms = now - since
      since = now
      return ms
    },
  }
}
