/** What a row of `files_touched` has beside its file. */
import { expect } from 'vitest'

/** Two addresses, each with its end; spread into the rows of files that can be opened. */
export const LINKED = {
  url: expect.any(String) as string,
  url_expires_at: expect.any(String) as string,
  link: expect.any(String) as string,
  expires_at: expect.any(String) as string,
}
