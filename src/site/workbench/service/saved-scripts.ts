/** Saved scripts of the caller and of the team: listed, opened and saved. */
import type { ArgSchema } from '../../../operations/scripts/arg-schema.ts'
import type { Client } from './client.ts'

export type { ArgSchema }

export interface SavedScript {
  readonly name: string
  readonly description: string
  readonly schema: ArgSchema
  /** What is wrong with its first comment; it does not run then. */
  readonly problem?: string
  readonly modified_at: string
}

interface Page {
  readonly scripts: readonly SavedScript[]
  readonly next?: string
}

/** Larger ones do not run. */
const MAX_BYTES = 1_048_576
const SHARED = 'share/'

/** @throws {RequestFailed} */
export async function listSaved(client: Client, cursor?: string): Promise<Page> {
  const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
  return (await (await client.send(`/scripts${query}`)).json()) as Page
}

/** The text and its version, as in the header. @throws {RequestFailed} */
export async function readSaved(client: Client, name: string) {
  const { bytes, etag } = await client.read(pathOf(name), MAX_BYTES)
  return { script: new TextDecoder().decode(bytes), etag }
}

/** The file of a script. */
export function pathOf(name: string): string {
  return name.startsWith(SHARED)
    ? `${SHARED}scripts/${name.slice(SHARED.length)}.lua`
    : `scripts/${name}.lua`
}
