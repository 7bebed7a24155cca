/** Where a dump goes on in a later run: opaque to scripts, which cannot make one. */
import { fromBase64url, toBase64url } from '../../lib/encode.ts'
import { isSigned, signFields } from '../../links/link-token.ts'
import type { Page } from '../pages/page-store.ts'

const encoder = new TextEncoder()
/** Domain separation from anything else signed with the same secret. */
const DOMAIN = encoder.encode('moonbucket sdk.dump')
const SIGNATURE_BYTES = 16
/** The columns may be as long as a row. */
const MAX_CHARACTERS = 2 * 1024 * 1024

/** A place between two rows. */
export interface DumpPosition {
  /** Absent for the first. */
  readonly page?: Page | undefined
  /** Rows of the page that an earlier file has. */
  readonly skip: number
  /** Of a CSV file, so that the next one has the same. */
  readonly columns?: readonly string[] | undefined
}

/**
 * @param name The function, to which the value is bound.
 * @param json A position, without secrets: a script can decode it.
 */
export async function signPosition(
  secrets: readonly string[],
  name: string,
  json: string,
): Promise<string> {
  const body = encoder.encode(json)
  const signature = await signFields(secrets[0]!, [DOMAIN, encoder.encode(name), body])
  return toBase64url(Uint8Array.from([...signature, ...body]))
}

/** `undefined` for anything that {@link signPosition} did not make for this function. */
export async function findPosition(
  secrets: readonly string[],
  name: string,
  text: string,
): Promise<DumpPosition | undefined> {
  const bytes = text.length > MAX_CHARACTERS ? null : fromBase64url(text)
  if (!bytes) return undefined
  const body = bytes.subarray(SIGNATURE_BYTES)
  const fields = [DOMAIN, encoder.encode(name), body]
  if (!(await isSigned(secrets, fields, bytes.subarray(0, SIGNATURE_BYTES)))) return undefined
  return JSON.parse(new TextDecoder().decode(body)) as DumpPosition
}
