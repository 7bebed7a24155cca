/** Bundles Workers as wrangler does, each once per run of the tests. Node only. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from '../../infra/root.ts'
import { madeOnce } from './made-once.ts'

/** For Miniflare. @param entry The file with the default export. */
export async function workerModules(entry: string) {
  const name = relative(ROOT, entry).replaceAll(/\W/g, '-')
  const folder = await madeOnce(name, (empty) => bundle(entry, empty))
  const [code, wasm] = [join(folder, WORKER), resolve(ROOT, 'src/vm/lua.wasm')]
  return [
    { type: 'ESModule' as const, path: WORKER, contents: readFileSync(code, 'utf8') },
    { type: 'CompiledWasm' as const, path: 'lua.wasm', contents: readFileSync(wasm) },
  ]
}

const WORKER = 'worker.mjs'

async function bundle(entry: string, folder: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    external: ['*.wasm', 'cloudflare:*'],
    // The one for browsers needs a DOMParser, which Workers do not have.
    alias: {
      '@aws-sdk/xml-builder': resolve(ROOT, 'node_modules/@aws-sdk/xml-builder/dist-cjs/index.js'),
    },
  })
  writeFileSync(join(folder, WORKER), outputFiles[0]!.text)
}
