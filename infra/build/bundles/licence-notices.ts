/** Third-party notices: the name, version and licence text of every package in a bundle. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Metafile } from 'esbuild'

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)\b/i
const RULE = `\n${'-'.repeat(80)}\n\n`

/** Folders of bundled packages. @param from Base of the metafile's paths. */
export function packagesIn({ outputs }: Metafile, from: string): string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  const folders = inputs.flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []) : [],
  )
  return [...new Set(folders.map((folder) => resolve(from, folder)))].sort()
}

/**
 * Groups packages by licence text.
 *
 * @param own Notices without a package.
 * @throws for a package without a licence.
 */
export function licenceNotices(folders: readonly string[], own: readonly string[] = []): string {
  const namesByText = new Map<string, string[]>()
  for (const folder of folders) {
    const { name, version, license } = manifestOf(folder)
    const text = licenceText(folder) ?? textOfSibling(folder, license)
    if (!license || !text) throw new Error(`${name} ${version} has no licence`)
    namesByText.set(text, [...(namesByText.get(text) ?? []), `${name} ${version} (${license})`])
  }
  const notices = [...namesByText].map(([text, names]) => `${names.join('\n')}\n\n${text}`)
  return [...own, ...notices].map((notice) => `${notice.trim()}\n`).join(RULE)
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function licenceText(folder: string): string | undefined {
  const names = readdirSync(folder).filter((name) => LICENCE_FILE.test(name))
  const texts = names.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim())
  return texts.length > 0 ? texts.join('\n\n') : undefined
}

/** Some packages lack the licence file of their scope's siblings. */
function textOfSibling(folder: string, license: string | undefined): string | undefined {
  const scope = dirname(folder)
  if (!/node_modules\/@[^/]+$/.test(scope)) return undefined
  const siblings = readdirSync(scope).map((name) => join(scope, name))
  const same = siblings.filter((sibling) => manifestOf(sibling).license === license)
  return same.map(licenceText).find((text) => text !== undefined)
}
