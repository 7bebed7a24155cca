/** From when to when a presigned URL opens. */

/** What S3 allows at most. */
const MAX_EXPIRES_S = 7 * 24 * 3600

/** Signatures know whole seconds: both ends are cut, so that no URL outlives what was asked for. */
export function lifetimeOf(wanted: Date, now: Date) {
  const start = Math.floor(now.getTime() / 1000)
  const seconds = Math.min(Math.floor(wanted.getTime() / 1000) - start, MAX_EXPIRES_S)
  if (!(seconds >= 1)) throw new RangeError('a presigned URL cannot end before it begins')
  return {
    signedAt: new Date(start * 1000),
    seconds,
    expiresAt: new Date((start + seconds) * 1000),
  }
}
