/**
 * `npm run build:site`: makes `dist/site`, what is served beside the API: the workbench, the documentation and
 * `openapi.json`. With `--if-changed`, as npm runs it before dev, test and deploy, nothing is done while the result is
 * up to date.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { filesIn, syncFolder } from './sync-folder.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Where the site is. */
export const SITE_FOLDER = resolve(ROOT, 'dist/site')

/** Written when a build is complete. */
export const SITE_STAMP = `${SITE_FOLDER}.inputs`

/** What the result is made from: the API it documents is spread over all of the source. */
const INPUTS = ['README.md', 'examples', 'package-lock.json', 'src']

/** Made by other builds; nothing of the site comes from them. */
const GENERATED = /^(?:vm\/lua\.wasm|sdk\/compiled\.js)/

/** Answers whether it built anything. */
export async function buildSite({ ifChanged = false } = {}): Promise<boolean> {
  const inputs = hashInputs()
  const isFresh =
    existsSync(join(SITE_FOLDER, 'index.html')) &&
    existsSync(SITE_STAMP) &&
    readFileSync(SITE_STAMP, 'utf8') === inputs
  if (isFresh && ifChanged) return false
  const { makeSite } = await import('./make-site.ts')
  const draft = mkdtempSync(join(tmpdir(), 'moonbucket-site-'))
  try {
    await makeSite(draft)
    syncFolder(draft, SITE_FOLDER)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  writeFileSync(SITE_STAMP, inputs)
  report()
  return true
}

function hashInputs(): string {
  const hash = createHash('sha256')
  for (const input of INPUTS) {
    const path = resolve(ROOT, input)
    const names = statSync(path).isDirectory() ? filesIn(path).sort() : ['']
    for (const name of names.filter((file) => !GENERATED.test(file)))
      hash.update(`${input}/${name}\0`).update(readFileSync(join(path, name)))
  }
  return hash.digest('hex')
}

function report(): void {
  const names = filesIn(SITE_FOLDER)
  const bytes = names.reduce((sum, name) => sum + statSync(join(SITE_FOLDER, name)).size, 0)
  console.info(`site: ${names.length} files, ${Math.ceil(bytes / 1000)} KB`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { 'if-changed': { type: 'boolean', default: false } } })
  await buildSite({ ifChanged: values['if-changed'] })
}
