/** The reader of PDF files, which is most of the code that loads on demand. */
import { FormatError } from '../../format-host.ts'

/** @throws {FormatError} in a build without documents, which has `left-out.ts` in its place. */
export async function loadPdfReader(): Promise<typeof import('unpdf')> {
  const reader = await import('unpdf')
  if (!('isLeftOut' in reader)) return reader
  throw new FormatError('PDF documents are not part of this build')
}
