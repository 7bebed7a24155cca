/** The client is small, and brings nothing with it. */
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { ROOT } from '../../../infra/root.ts'

const MAX_GZIP_BYTES = 8 * 1024

it('has no dependencies, and at most 8 KB', async () => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/client/index.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    metafile: true,
    write: false,
    outdir: 'out',
  })
  expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThanOrEqual(MAX_GZIP_BYTES)
  const sources = Object.keys(metafile.inputs)
  expect(sources.filter((path) => !/^src\/(?:client|lib)\//.test(path))).toEqual([])
})
