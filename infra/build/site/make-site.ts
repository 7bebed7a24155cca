/** Builds the site in an empty folder. */
import { writeFileSync, readFileSync } from 'node:fs'
import { join, basename } from 'node:path'
import { build } from 'esbuild'
import { buildLua } from '../lua/build.ts'
import { recordAnswers } from './api/record-answers.ts'
import { buildDocs } from './docs/build-docs.ts'
import { openApiDocument } from './openapi.ts'
import { ROOT } from '../../root.ts'
import { licenceNotices, packagesIn } from '../bundles/licence-notices.ts'

export async function makeSite(folder: string): Promise<void> {
  // Recording runs the examples.
  await buildLua()
  const answers = await recordAnswers()
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiDocument(answers)))
  await buildDocs(folder, answers)
  await buildWorkbench(folder)
  await buildDropScript(folder)
}

/** Of the pages of upload links, which are not built: its name has no hash. */
async function buildDropScript(folder: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/site/drop/drop.ts'],
    outfile: join(folder, 'assets/drop.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    logLevel: 'warning',
  })
}

const SOURCES = join(ROOT, 'src/site/workbench')

/** Writes `index.html` and `assets/` with third-party notices; URLs are root-relative. */
export async function buildWorkbench(folder: string): Promise<void> {
  const built = [
    // What is imported later goes into files of its own.
    await bundle(folder, ['main.ts'], true),
    // A classic script and a worker: they cannot share files with the page's module.
    await bundle(folder, ['theme-early.ts', 'editor/syntax-worker.ts', ...COPIED], false),
  ]
  const names = new Map<string, string>()
  for (const { outputs } of built) {
    for (const [path, { entryPoint }] of Object.entries(outputs)) {
      if (entryPoint) names.set(basename(entryPoint).replace(/\.ts$/, '.js'), basename(path))
    }
  }
  writeFileSync(join(folder, 'index.html'), pageWith(names))
  const packages = new Set(built.flatMap((part) => packagesIn(part, SOURCES)))
  writeFileSync(join(folder, 'assets/licenses.txt'), licenceNotices([...packages].sort()))
}

const COPIED = ['styles/workbench.css', '../icon.svg', '../../vm/lua.wasm']

async function bundle(folder: string, entryPoints: string[], splitting: boolean) {
  const { metafile } = await build({
    absWorkingDir: SOURCES,
    entryPoints,
    outdir: folder,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    bundle: true,
    minify: true,
    splitting,
    format: 'esm',
    target: 'es2022',
    loader: { '.lua': 'text', '.svg': 'copy', '.wasm': 'copy' },
    legalComments: 'none',
    banner: { js: '/* Licences: /assets/licenses.txt */' },
    logLevel: 'warning',
    metafile: true,
  })
  return metafile
}

/** @throws if the page refers to a missing file. */
function pageWith(names: ReadonlyMap<string, string>): string {
  const page = readFileSync(join(SOURCES, 'index.html'), 'utf8')
  return page.replaceAll(/(?<=\/assets\/)[\w.-]+/g, (name) => {
    const built = names.get(name)
    if (built === undefined) throw new Error(`index.html names ${name}, which is not built`)
    return built
  })
}
