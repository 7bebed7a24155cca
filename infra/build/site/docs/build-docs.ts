/** Writes the documentation pages and their assets. */
import { basename, dirname, join, relative } from 'node:path'
import { mkdirSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { ROOT } from '../../../root.ts'
import type { RecordedAnswers } from '../api/record-answers.ts'
import { docsFrame, type DocsAssets, type DocsPage } from './frame.ts'
import { apiPage } from './api-page.ts'
import { clientsPage } from './clients-page.ts'
import { errorsPage } from './errors-page.ts'
import { guidePages } from './guide-pages.ts'
import { luaPages } from './lua-pages.ts'
import { overviewPage } from './overview-page.ts'

const SOURCES = join(ROOT, 'src/site/docs')

/** @param answers Recorded responses of the examples. */
export async function buildDocs(folder: string, answers: RecordedAnswers): Promise<void> {
  const assets = await buildAssets(folder)
  for (const page of docsPages(answers)) {
    const name = page.path === '/docs' ? 'docs/index.html' : `${page.path.slice(1)}.html`
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, docsFrame(page, assets))
  }
}

/** Content-hashed names, so that browsers may cache them forever. */
async function buildAssets(folder: string): Promise<DocsAssets> {
  const { metafile } = await build({
    absWorkingDir: SOURCES,
    entryPoints: { docs: 'docs-client.ts', 'docs-style': 'docs.css', icon: '../icon.svg' },
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    logLevel: 'warning',
  })
  const addressOf = (source: string) => {
    const outputs = Object.entries(metafile.outputs)
    const [output] = outputs.find(([, { inputs }]) =>
      Object.keys(inputs).some((input) => basename(input) === source),
    )!
    return `/${relative(folder, join(SOURCES, output)).replaceAll('\\', '/')}`
  }
  return {
    style: addressOf('docs.css'),
    script: addressOf('docs-client.ts'),
    icon: addressOf('icon.svg'),
  }
}

/** @param answers Recorded responses of the examples. */
function docsPages(answers: RecordedAnswers): DocsPage[] {
  return [
    overviewPage(answers),
    apiPage(answers),
    ...luaPages(),
    clientsPage(),
    errorsPage(),
    ...guidePages(),
  ]
}
