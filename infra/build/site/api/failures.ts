/** Error codes with their status and advice. */
import { STATUS } from '../../../../src/http/respond-with-error.ts'

/** Including codes that are never thrown. */
const STATUSES = {
  ...STATUS,
  precondition_failed: 412,
  range_not_satisfiable: 416,
  internal: 500,
} as const

export type FailureCode = keyof typeof STATUSES

export interface Failure {
  readonly code: FailureCode
  readonly status: number
  readonly meaning: string
}

const MEANINGS: Readonly<Record<FailureCode, string>> = {
  malformed: 'The body is not JSON, or the address lacks a part. Correct the request.',
  invalid_path: 'The path is empty, absolute, has `..` or is not allowed to this token.',
  unauthenticated: 'There is no bearer token, or it is expired or forged. Get a new one.',
  forbidden: 'The token lacks a scope or a tenant, or a link is expired or for another path.',
  not_found: 'There is no such file or folder, or nothing at this address.',
  conflict:
    'The file exists already, has changed since, or is a folder; or the text to edit is not there.',
  precondition_failed: 'The file is not the version that `If-Match` or `If-None-Match` asks for.',
  too_large: 'The body or the file is larger than allowed. Send or read it in parts.',
  range_not_satisfiable: 'The range begins beyond the end of the file.',
  invalid_request: 'A field is missing, unknown or has a wrong value; the message names it.',
  rate_limited: 'Too many requests of this tenant. Wait as long as `Retry-After` says.',
  internal: 'Something went wrong on our side. The log has the details under the request id.',
  busy: 'All memory is in use by other runs. Try again after `Retry-After`.',
  keys_unavailable: 'The keys that check tokens cannot be fetched just now. Try again.',
  storage_unavailable: 'The store does not answer. Try again after `Retry-After`.',
}

/** By status, then as listed above. */
export const FAILURES: readonly Failure[] = (Object.keys(MEANINGS) as FailureCode[])
  .map((code) => ({ code, status: STATUSES[code], meaning: MEANINGS[code] }))
  .sort((one, other) => one.status - other.status)

/** An operation's errors by status; a status may have several. */
export function failuresByStatus(codes: readonly FailureCode[]): Map<number, Failure[]> {
  const groups = new Map<number, Failure[]>()
  for (const failure of FAILURES) {
    if (!codes.includes(failure.code)) continue
    groups.set(failure.status, [...(groups.get(failure.status) ?? []), failure])
  }
  return groups
}

/** Of all authenticated operations. */
const GUARDED: readonly FailureCode[] = [
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'keys_unavailable',
  'internal',
]

/** Of all operations with a JSON body. */
const WITH_BODY: readonly FailureCode[] = ['malformed', 'too_large', 'invalid_request']

const ON_FILES: readonly FailureCode[] = [
  'invalid_path',
  'not_found',
  'conflict',
  'storage_unavailable',
]

export const RUN_FAILURES: readonly FailureCode[] = [...GUARDED, ...WITH_BODY, 'busy']
export const FILE_FAILURES: readonly FailureCode[] = [...GUARDED, ...WITH_BODY, ...ON_FILES]
export const LINK_FAILURES: readonly FailureCode[] = [
  'malformed',
  'invalid_path',
  'forbidden',
  'not_found',
  'rate_limited',
  'storage_unavailable',
  'internal',
]
