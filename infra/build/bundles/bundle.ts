/** Bundles a target's entries with `lua.wasm`, the licence notices and the site, ready to deploy. */
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build, type BuildOptions } from 'esbuild'
import { buildApis } from '../apis/build.ts'
import { BuildFailed } from '../apis/problems.ts'
import { buildSite, SITE_FOLDER } from '../site/build.ts'
import { filesIn, syncFolder } from '../site/sync-folder.ts'
import { buildLua } from '../lua/build.ts'
import { addPackageFiles } from './cli-package.ts'
import { licenceNotices, packagesIn } from './licence-notices.ts'
import { ROOT } from '../../root.ts'

/** What each target consists of. */
export const TARGETS: Readonly<Record<string, readonly string[]>> = {
  node: ['src/entry/node.ts', 'src/entry/node-runner.ts'],
  lambda: ['src/entry/lambda.ts'],
  cli: ['src/entry/cli.ts'],
  workers: ['src/entry/workers.ts'],
  'workers-dev': ['src/entry/workers-dev.ts'],
  'workers-s3': ['src/entry/workers-s3.ts'],
}

/** Those that answer browsers. */
const SERVERS = ['node', 'lambda']

const NODE: BuildOptions = {
  platform: 'node',
  target: 'node24',
  // Some packages are CommonJS inside and ask for Node's own modules by `require`.
  banner: {
    js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
  },
  // Of packages that have both, the modules: what nobody uses of them can be left out.
  mainFields: ['module', 'main'],
  // Names of errors are part of what the log tells.
  keepNames: true,
}

const WORKERS: BuildOptions = {
  platform: 'browser',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*'],
  // workerd compiles it by itself.
  loader: { '.wasm': 'copy' },
  assetNames: '[name]',
  // Instead of names in the code, which would be a twentieth of the upload.
  sourcemap: true,
  alias: {
    '@modelcontextprotocol/server/_shims': resolve(ROOT, 'src/entry/workers/mcp-shims.ts'),
    // Its other build wants a browser's DOMParser. Only the S3 client brings it along.
    '@aws-sdk/xml-builder': resolve(ROOT, 'node_modules/@aws-sdk/xml-builder/dist-cjs/index.js'),
  },
}

/** Gives the names of all files in the folder; others are gone. It may be in use: `npm run dev` serves one. */
export async function bundle(target: keyof typeof TARGETS, folder: string): Promise<string[]> {
  const fresh = `${folder}.${process.pid}`
  try {
    await bundleInto(target, fresh)
    syncFolder(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return filesIn(folder).sort()
}

async function bundleInto(target: keyof typeof TARGETS, folder: string): Promise<void> {
  await buildLua()
  const define = target === 'workers-dev' ? { BUILD_PROBLEM: JSON.stringify(apisProblem()) } : {}
  if (target !== 'workers-dev') buildApis()
  const { metafile } = await build({
    absWorkingDir: ROOT,
    define,
    entryPoints: TARGETS[target]!.map((entry) => resolve(ROOT, entry)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is imported on demand stays in files of its own, which a start does not have to read.
    splitting: true,
    minify: true,
    format: 'esm',
    ...(isForWorkers(target) ? WORKERS : NODE),
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  // No bundler follows the binary.
  const packages = [...packagesIn(metafile, ROOT), resolve(ROOT, 'node_modules/wasmoon')]
  const inBinary = readFileSync(resolve(ROOT, 'infra/build/lua/LICENSES.txt'), 'utf8')
  writeFileSync(resolve(folder, 'LICENSES.txt'), licenceNotices(packages, [inBinary]))
  if (!isForWorkers(target)) {
    copyFileSync(resolve(ROOT, 'src/vm/lua.wasm'), resolve(folder, 'lua.wasm'))
  }
  if (target === 'cli') addPackageFiles(folder)
  if (SERVERS.includes(target)) {
    await buildSite()
    cpSync(SITE_FOLDER, resolve(folder, 'site'), { recursive: true })
  }
}

/** Why the APIs could not be compiled. While it runs, the dev server says so instead of stopping. */
function apisProblem(): string {
  try {
    buildApis()
    return ''
  } catch (error) {
    if (error instanceof BuildFailed) return error.message
    throw error
  }
}

function isForWorkers(target: string): boolean {
  return target.startsWith('workers')
}
