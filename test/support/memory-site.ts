/** An in-memory site for tests. */
import type { Site } from '../../src/http/site.ts'

/** @param files Content by name in the site's folder. */
export function memorySite(files: Readonly<Record<string, string>>): Site {
  return {
    async open(name) {
      const text = Object.hasOwn(files, name) ? files[name] : undefined
      if (text === undefined) return undefined
      return { body: new TextEncoder().encode(text), etag: `"${name.length}-${text.length}"` }
    },
  }
}
