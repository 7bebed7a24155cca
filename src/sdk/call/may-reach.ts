/** The addresses this service may call, whatever a catalog says. */
import { ApiError } from './api-error.ts'

/** This machine's names, in URL syntax. */
const LOOPBACK =
  /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/

/** @throws {ApiError} `not_allowed` unless the URL is HTTPS or an allowed loopback address. */
export function assertMayReach(name: string, url: URL, allowsLoopback: boolean): void {
  const isSafe = url.protocol === 'https:'
  const isAllowed = LOOPBACK.test(url.hostname)
    ? allowsLoopback && (isSafe || url.protocol === 'http:')
    : isSafe
  if (!isAllowed || url.username !== '' || url.password !== '') {
    throw new ApiError('not_allowed', `${name}: calls to this address are not allowed`)
  }
}
