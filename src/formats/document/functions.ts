/** `document` for scripts. */
import type { FormatFunctions } from '../format-host.ts'
import { documentText } from './document-text.ts'

export const functions: FormatFunctions = {
  async text(host, path, options) {
    const { pages } = (options ?? {}) as { pages?: unknown }
    const source = await host.openRead(path as string)
    try {
      return { bytes: new TextEncoder().encode(await documentText(source, host, pages)) }
    } finally {
      source.close()
    }
  },
}
