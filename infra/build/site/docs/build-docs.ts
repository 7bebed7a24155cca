/** Writes the documentation: pages, the same as Markdown, the search index and the assets. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from '../../../root.ts'
import type { RecordedAnswers } from '../api/record-answers.ts'
import { agentsPage } from './agents-page.ts'
import { apiPage } from './api-page.ts'
import { errorsPage } from './errors-page.ts'
import { docsFrame, type DocsAssets, type DocsPage } from './frame.ts'
import { guidePages } from './guide-pages.ts'
import { luaPages } from './lua-pages.ts'
import { notFoundPage } from './not-found-page.ts'
import { overviewPage } from './overview-page.ts'
import { parseHtml } from './text/html-tree.ts'
import { llmsFull, llmsIndex } from './text/llms.ts'
import { markdownOf } from './text/markdown.ts'
import { indexedPage } from './text/search-index.ts'

const SOURCES = join(ROOT, 'src/site/docs')

/** @param answers Recorded responses of the examples. */
export async function buildDocs(folder: string, answers: RecordedAnswers): Promise<void> {
  const write = (name: string, text: string) => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const pages = docsPages(answers).map((page) => ({ page, tree: parseHtml(page.main) }))
  const texts = new Map(pages.map(({ page, tree }) => [page.path, markdownOf(tree)]))
  const index = JSON.stringify(pages.map(({ page, tree }) => indexedPage(page, tree)))
  const indexName = `assets/search-${hashOf(index)}.json`
  write(indexName, index)
  const assets = { ...(await buildAssets(folder)), index: `/${indexName}` }
  for (const { page } of pages) {
    const name = page.path === '/docs' ? 'docs/index.html' : `${page.path.slice(1)}.html`
    write(name, docsFrame(page, assets))
  }
  for (const [path, text] of texts) write(`${path.slice(1)}.md`, text)
  write('docs-not-found.html', docsFrame(notFoundPage(), assets))
  write('llms.txt', llmsIndex())
  write('llms-full.txt', llmsFull(texts))
}

/** As esbuild names files. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase()
}

/** Content-hashed names, so that browsers may cache them forever. */
async function buildAssets(folder: string): Promise<Omit<DocsAssets, 'index'>> {
  const { metafile } = await build({
    absWorkingDir: SOURCES,
    entryPoints: {
      docs: 'docs-client.ts',
      'docs-style': 'docs.css',
      'theme-early': '../workbench/theme-early.ts',
      icon: '../icon.svg',
    },
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
    const [output] = outputs.find(
      ([, { inputs, entryPoint }]) =>
        basename(entryPoint ?? Object.keys(inputs)[0] ?? '') === source,
    )!
    return `/${relative(folder, join(SOURCES, output)).replaceAll('\\', '/')}`
  }
  return {
    style: addressOf('docs.css'),
    script: addressOf('docs-client.ts'),
    theme: addressOf('theme-early.ts'),
    icon: addressOf('icon.svg'),
  }
}

/** @param answers Recorded responses of the examples. */
function docsPages(answers: RecordedAnswers): DocsPage[] {
  return [
    overviewPage(answers),
    apiPage(answers),
    ...luaPages(),
    agentsPage(),
    errorsPage(),
    ...guidePages(),
  ]
}
