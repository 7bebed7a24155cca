/** Lifetimes of presigned URLs. */

/** S3's maximum. */
const MAX_EXPIRES_S = 7 * 24 * 3600

/** Signatures use whole seconds: rounds down, so that no URL outlives the requested time. */
export function presignLifetime(wanted: Date, now: Date) {
  const start = Math.floor(now.getTime() / 1000)
  const seconds = Math.min(Math.floor(wanted.getTime() / 1000) - start, MAX_EXPIRES_S)
  if (!(seconds >= 1)) throw new RangeError('the expiry of a presigned URL is in the past')
  return {
    signedAt: new Date(start * 1000),
    seconds,
    expiresAt: new Date((start + seconds) * 1000),
  }
}
