/** `npm run build:<target>`: bundles an entry with its `lua.wasm`, ready to be copied to where it runs. */
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { run, UsageError } from './command-line.ts'
import { ROOT } from './local-vars.ts'

/** What each target consists of; the first entry gives it its name. */
const TARGETS: Readonly<Record<string, readonly string[]>> = {
  node: ['src/entry/node.ts', 'src/entry/node-runner.ts'],
  lambda: ['src/entry/lambda.ts'],
  cli: ['src/entry/cli.ts'],
}

// Some packages are CommonJS inside and ask for Node's own modules by `require`.
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`

await run('build', async () => {
  for (const target of process.argv.slice(2)) await bundle(target)
})

async function bundle(target: string): Promise<void> {
  const entries = TARGETS[target]
  if (!entries) {
    throw new UsageError(`"${target}" is none of ${Object.keys(TARGETS).join(', ')}`)
  }
  const folder = resolve(ROOT, 'dist', target)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: entries.map((entry) => resolve(ROOT, entry)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    banner: { js: REQUIRE },
    legalComments: 'none',
    logLevel: 'warning',
  })
  copyFileSync(resolve(ROOT, 'src/vm/lua.wasm'), resolve(folder, 'lua.wasm'))
  const files = [...entries.map((entry) => basename(entry, '.ts') + '.mjs'), 'lua.wasm']
  for (const file of files) report(target, file, readFileSync(resolve(folder, file)))
}

function report(target: string, file: string, bytes: Uint8Array): void {
  const kilobytes = (size: number) => `${(size / 1024).toFixed(1)} KiB`
  const packed = kilobytes(gzipSync(bytes).length)
  console.info(`dist/${target}/${file}: ${kilobytes(bytes.length)}, gzip ${packed}`)
}
