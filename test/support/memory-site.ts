/** A site of a few files that a test writes down. */
import type { Site } from '../../src/http/site.ts'

/** @param files Texts by their names in the folder of the site. */
export function memorySite(files: Readonly<Record<string, string>>): Site {
  return {
    async open(name) {
      const text = Object.hasOwn(files, name) ? files[name] : undefined
      if (text === undefined) return undefined
      return { body: new TextEncoder().encode(text), etag: `"${name.length}-${text.length}"` }
    },
  }
}
