/** The names and terms of everything in a bundle that others wrote: what their licences want to go with it. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Metafile } from 'esbuild'

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)\b/i
const RULE = `\n${'-'.repeat(80)}\n\n`

/** The folders of the packages that are really inside. @param from Where the paths of the metafile begin. */
export function packagesIn({ outputs }: Metafile, from: string): string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  const folders = inputs.flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []) : [],
  )
  return [...new Set(folders.map((folder) => resolve(from, folder)))].sort()
}

/**
 * Packages under one and the same text share it.
 *
 * @param folders Those of the packages.
 * @param own Terms that no package brings.
 * @throws for a package without a licence.
 */
export function licenceNotices(folders: readonly string[], own: readonly string[] = []): string {
  const namesByText = new Map<string, string[]>()
  for (const folder of folders) {
    const { name, version, license } = manifestOf(folder)
    const text = licenceText(folder) ?? textOfSibling(folder, license)
    if (!license || !text) throw new Error(`${name} ${version} comes without a licence`)
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

/** Some packages of a scope leave the file out that the others have. */
function textOfSibling(folder: string, license: string | undefined): string | undefined {
  const scope = dirname(folder)
  if (!/node_modules\/@[^/]+$/.test(scope)) return undefined
  const siblings = readdirSync(scope).map((name) => join(scope, name))
  const same = siblings.filter((sibling) => manifestOf(sibling).license === license)
  return same.map(licenceText).find((text) => text !== undefined)
}
