/** The documentation as it was built. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SITE_FOLDER } from '../../../../infra/build/site/build.ts'
import { listFiles } from '../../../../infra/build/site/sync-folder.ts'

/** HTML by path. */
export function docsPages(): Map<string, string> {
  const names = listFiles(SITE_FOLDER).filter((name) => /^docs\/.*\.html$/.test(name))
  return new Map(names.map((name) => [`/${name.replace(/(?:\/index)?\.html$/, '')}`, read(name)]))
}

/** @param name Relative to the folder of the site. */
export function read(name: string): string {
  return readFileSync(join(SITE_FOLDER, name), 'utf8')
}

/** What is shown in a page, as a reader copies it. */
export function shown(code: string): string {
  return code.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

export function withoutColours(html: string): string {
  return html.replaceAll(/<\/?span[^>]*>/g, '')
}

/** The content of a page, without header and navigation. */
export function mainOf(html: string): string {
  return /<main[^>]*>\n([^]*)\n<\/main>/.exec(html)![1]!
}
