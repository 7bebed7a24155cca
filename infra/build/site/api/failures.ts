/** All error codes with their status and what callers can do about them. */
import { HTTP_STATUS } from '../../../../src/http/respond-with-error.ts'

/** Includes codes without an error class. */
const STATUSES = {
  ...HTTP_STATUS,
  precondition_failed: 412,
  range_not_satisfiable: 416,
  internal: 500,
} as const

export type FailureCode = keyof typeof STATUSES

export interface ApiFailure {
  readonly code: FailureCode
  readonly status: number
  readonly meaning: string
}

const MEANINGS: Readonly<Record<FailureCode, string>> = {
  malformed: 'The body is not JSON, or the address is incomplete. Correct the request.',
  invalid_path: 'The path is empty or absolute, contains `..`, or is not allowed for this token.',
  unauthenticated: 'The bearer token is missing, expired or invalid. Get a new one.',
  forbidden: 'The token lacks a scope or a tenant, or the link has expired or is for another path.',
  not_found: 'There is no such file, folder, run or key, or no such address.',
  conflict:
    'The file already exists, has changed or is a folder, the text to edit was not found, or a run with the same key goes on.',
  precondition_failed: 'The version of the file does not match `If-Match` or `If-None-Match`.',
  too_large: 'The body or the file is too large. Send or read it in parts.',
  range_not_satisfiable: 'The range starts beyond the end of the file.',
  invalid_request: 'A field is missing, unknown or invalid; the message names it.',
  rate_limited:
    'This tenant sent too many requests, has too many runs in the background, or used up those of the day. Wait for the time in `Retry-After`.',
  internal: 'The service failed. Its log has the details under the request id.',
  busy: 'Other runs use all memory. Try again after `Retry-After`.',
  keys_unavailable: 'The keys that verify tokens cannot be fetched at the moment. Try again.',
  storage_unavailable: 'The store does not respond. Try again after `Retry-After`.',
  quota_exceeded: 'The files of this tenant take all the room they may. Delete some.',
}

/** Sorted by status, then as listed above. */
export const FAILURES: readonly ApiFailure[] = (Object.keys(MEANINGS) as FailureCode[])
  .map((code) => ({ code, status: STATUSES[code], meaning: MEANINGS[code] }))
  .sort((one, other) => one.status - other.status)

/** Several codes may share a status. */
export function failuresByStatus(codes: readonly FailureCode[]): Map<number, ApiFailure[]> {
  const groups = new Map<number, ApiFailure[]>()
  for (const failure of FAILURES) {
    if (!codes.includes(failure.code)) continue
    groups.set(failure.status, [...(groups.get(failure.status) ?? []), failure])
  }
  return groups
}

/** For every request that needs a token. */
const GUARDED: readonly FailureCode[] = [
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'keys_unavailable',
  // Where API keys are looked up.
  'storage_unavailable',
  'internal',
]

/** For every request with a JSON body. */
const WITH_BODY: readonly FailureCode[] = ['malformed', 'too_large', 'invalid_request']

const ON_FILES: readonly FailureCode[] = ['invalid_path', 'not_found', 'conflict', 'quota_exceeded']

export const RUN_FAILURES: readonly FailureCode[] = [
  ...GUARDED,
  ...WITH_BODY,
  'busy',
  'conflict',
  'quota_exceeded',
]
export const RECORD_FAILURES: readonly FailureCode[] = [
  ...GUARDED,
  'invalid_request',
  'not_found',
  'conflict',
  'quota_exceeded',
]
export const KEY_FAILURES: readonly FailureCode[] = [
  ...GUARDED,
  ...WITH_BODY,
  'invalid_path',
  'not_found',
  'conflict',
]
export const FILE_FAILURES: readonly FailureCode[] = [...GUARDED, ...WITH_BODY, ...ON_FILES]
export const LINK_FAILURES: readonly FailureCode[] = [
  'malformed',
  'invalid_path',
  'forbidden',
  'not_found',
  'rate_limited',
  'storage_unavailable',
  'quota_exceeded',
  'internal',
]
