/** Bundles Workers as wrangler does, each once per process. Node only. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from '../../infra/root.ts'

const made = new Map<string, ReturnType<typeof bundle>>()

/** For Miniflare. @param entry The file with the default export. */
export function workerModules(entry: string): ReturnType<typeof bundle> {
  const modules = made.get(entry) ?? bundle(entry)
  made.set(entry, modules)
  return modules
}

async function bundle(entry: string) {
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
  const wasm = readFileSync(resolve(ROOT, 'src/vm/lua.wasm'))
  return [
    { type: 'ESModule' as const, path: 'worker.mjs', contents: outputFiles[0]!.text },
    { type: 'CompiledWasm' as const, path: 'lua.wasm', contents: wasm },
  ]
}
