/** Serves the site from a folder: beside the bundle, or the build output in a clone. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { Site, SiteFile } from '../../http/site.ts'

const FOLDER = join(
  import.meta.dirname,
  extname(import.meta.filename) === '.ts' ? '../../../dist/site' : 'site',
)

/** Lists the folder once, on first use; may be missing. */
export function folderSite(folder = FOLDER): Site {
  let paths: ReadonlyMap<string, string> | undefined
  const files = new Map<string, Promise<SiteFile>>()
  return {
    async open(name) {
      paths ??= pathsIn(folder)
      const path = paths.get(name)
      if (path === undefined) return undefined
      const file = files.get(name) ?? read(path)
      files.set(name, file)
      return file
    },
  }
}

/** Keyed by request name. */
function pathsIn(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map()
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [relative(folder, path).replaceAll(sep, '/'), path]))
}

async function read(path: string): Promise<SiteFile> {
  const body = new Uint8Array(await readFile(path))
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}
