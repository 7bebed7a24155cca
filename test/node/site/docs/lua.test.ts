/** Every Lua example that a page offers to run works, with what the local server brings. */
import { afterAll, expect, it } from 'vitest'
import { parseHtml, textOf } from '../../../../infra/build/site/docs/text/html-tree.ts'
import { demoCatalog } from '../../../../src/demo/demo-catalog.ts'
import { serveShop } from '../../../../src/demo/serve-shop.ts'
import { makeCompiledApp } from '../../sdk/make-api-app.ts'
import { docsPages, mainOf } from './docs-pages.ts'

const shop = await serveShop()
afterAll(() => shop.stop())

const EXAMPLE =
  /<div class="code lua" data-copy data-run(?: data-args="([^"]*)")?>\n(<pre.*?<\/pre>)/gs

const pages = [...docsPages()].flatMap(([path, html]) => {
  const examples = [...mainOf(html).matchAll(EXAMPLE)].map(([, args, pre]) => ({
    script: textOf(parseHtml(pre!)),
    args: args === undefined ? undefined : (JSON.parse(textOf(parseHtml(args))) as unknown),
  }))
  return examples.length > 0 ? [[path, examples] as const] : []
})

it('they are on more than a hundred pages', () => {
  expect(pages.length).toBeGreaterThan(100)
  expect(pages.map(([path]) => path)).toEqual(
    expect.arrayContaining([
      '/docs',
      '/docs/api',
      '/docs/apis',
      '/docs/migrate',
      '/docs/lua/io.open',
    ]),
  )
})

it.each(pages)('those of %s', async (_, examples) => {
  const { run } = await makeCompiledApp(demoCatalog(shop.origin))
  for (const { script, args } of examples) {
    // The reference's read and list what its requests have written.
    await run('file.save("notes/today.txt", "x") file.save("output/squares.csv", "1,1")')
    const { error } = await run(script, { args })
    expect({ script, error }).toEqual({ script, error: undefined })
  }
})
