/** Which addresses this service calls at all, whatever a catalog says. */
import { ApiError } from './api-error.ts'

/** This machine by any of its names, as URLs write them. */
const LOOPBACK =
  /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/

/** @throws {ApiError} `not_allowed` for what is neither TLS nor an allowed API on this machine. */
export function assertMayReach(name: string, url: URL, allowsLoopback: boolean): void {
  const isSafe = url.protocol === 'https:'
  const isAllowed = LOOPBACK.test(url.hostname)
    ? allowsLoopback && (isSafe || url.protocol === 'http:')
    : isSafe
  if (!isAllowed || url.username !== '' || url.password !== '') {
    throw new ApiError('not_allowed', `${name}: this service may not call that address`)
  }
}
