/** `npm run build:site`: builds `dist/site` if an input changed; `--force` always builds. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../../root.ts'
import { preludePath, PRELUDES } from '../lua/preludes.ts'
import { checkInputs, stampOf } from '../up-to-date.ts'
import { guideFiles } from './docs/guide-files.ts'
import { listFiles, syncFolder } from './sync-folder.ts'

export const SITE_FOLDER = resolve(ROOT, 'dist/site')

/** Written when a build is complete. */
export const SITE_STAMP = stampOf(SITE_FOLDER)

/** All source is an input: the examples are run. */
const SOURCES = [
  'infra/build/site/build.ts',
  'src/site/workbench/main.ts',
  'src/site/workbench/theme-early.ts',
  'src/site/workbench/editor/syntax-worker.ts',
  'src/site/workbench/styles/workbench.css',
  'src/site/drop/drop.ts',
  'src/site/docs/docs-client.ts',
  'src/site/docs/docs.css',
]

const DATA = ['src/site/icon.svg', 'src/site/workbench/index.html', 'src/vm/lua.wasm']

/** Returns whether it built. */
export async function buildSite({ force = false } = {}): Promise<boolean> {
  const inputs = checkInputs({
    target: SITE_FOLDER,
    sources: SOURCES.map((path) => resolve(ROOT, path)),
    data: [
      ...DATA.map((path) => resolve(ROOT, path)),
      ...PRELUDES.map(({ name }) => preludePath(name)),
      ...guideFiles(),
    ],
  })
  if (inputs.areSame && !force) return false
  const { makeSite } = await import('./make-site.ts')
  const draft = mkdtempSync(join(tmpdir(), 'moonbucket-site-'))
  try {
    await makeSite(draft)
    syncFolder(draft, SITE_FOLDER)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  inputs.keep()
  report()
  return true
}

function report(): void {
  const names = listFiles(SITE_FOLDER)
  const bytes = names.reduce((sum, name) => sum + statSync(join(SITE_FOLDER, name)).size, 0)
  console.info(`site: ${names.length} files, ${Math.ceil(bytes / 1000)} KB`)
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { force: { type: 'boolean', default: false } } })
  await buildSite(values)
}
