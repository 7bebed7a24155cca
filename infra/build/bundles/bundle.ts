/** Bundles a target with `lua.wasm`, licence notices and the site, ready to deploy. */
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build, type BuildOptions, type Plugin } from 'esbuild'
import { zipSync } from 'fflate'
import { buildApis, buildDemo } from '../apis/build.ts'
import { BuildFailed } from '../apis/problems.ts'
import { addClient, CLIENT_EXPORTS } from '../client/add-client.ts'
import { buildSite, SITE_FOLDER } from '../site/build.ts'
import { listFiles, syncFolder } from '../site/sync-folder.ts'
import { buildLua } from '../lua/build.ts'
import { licenceNotices, packagesIn } from './licence-notices.ts'
import { ROOT } from '../../root.ts'

export const TARGETS: Readonly<Record<string, readonly string[]>> = {
  node: ['src/entry/node.ts', 'src/entry/node-runner.ts'],
  lambda: ['src/entry/lambda.ts'],
  cli: ['src/entry/cli.ts'],
  workers: ['src/entry/workers.ts'],
  'workers-dev': ['src/entry/workers-dev.ts'],
  'workers-s3': ['src/entry/workers-s3.ts'],
}

/** Targets that serve the site. */
const SERVERS = ['node', 'lambda']

const NODE: BuildOptions = {
  platform: 'node',
  target: 'node24',
  // Some packages are CommonJS and `require` Node's modules.
  banner: {
    js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
  },
  // Prefers ES modules, which can be tree-shaken.
  mainFields: ['module', 'main'],
  // Error names appear in the log.
  keepNames: true,
}

const WORKERS: BuildOptions = {
  platform: 'browser',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*'],
  // workerd compiles the module itself.
  loader: { '.wasm': 'copy' },
  assetNames: '[name]',
  // Source maps instead of kept names, which would be 5 % of the upload.
  sourcemap: true,
  alias: {
    '@modelcontextprotocol/server/_shims': resolve(ROOT, 'src/entry/workers/mcp-shims.ts'),
    // Its browser build needs DOMParser. Used by the S3 client only.
    '@aws-sdk/xml-builder': resolve(ROOT, 'node_modules/@aws-sdk/xml-builder/dist-cjs/index.js'),
  },
}

/** With `DOCUMENTS=off`, the reader of PDF files, a third of the upload, stays out. */
function leftOut(): Readonly<Record<string, string>> {
  if (process.env.DOCUMENTS !== 'off') return {}
  return { unpdf: resolve(ROOT, 'src/formats/document/pdf/left-out.ts') }
}

/**
 * Returns all file names and removes others. The folder may be in use by `npm run dev`.
 *
 * @param plugins For tests that replace a module.
 */
export async function bundle(
  target: keyof typeof TARGETS,
  folder: string,
  plugins: Plugin[] = [],
): Promise<string[]> {
  const fresh = `${folder}.${process.pid}`
  try {
    await bundleInto(target, fresh, plugins)
    syncFolder(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return listFiles(folder).sort()
}

async function bundleInto(
  target: keyof typeof TARGETS,
  folder: string,
  plugins: Plugin[],
): Promise<void> {
  await buildLua()
  const define = target === 'workers-dev' ? { BUILD_PROBLEM: JSON.stringify(apisProblem()) } : {}
  if (target !== 'workers-dev') buildApis()
  if (target === 'workers-dev' || target === 'cli') buildDemo()
  const platform = isForWorkers(target) ? WORKERS : NODE
  const { metafile } = await build({
    absWorkingDir: ROOT,
    define,
    plugins,
    entryPoints: TARGETS[target]!.map((entry) => resolve(ROOT, entry)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // Lazy imports stay in separate files, for a fast start.
    splitting: true,
    minify: true,
    format: 'esm',
    ...platform,
    alias: { ...platform.alias, ...leftOut() },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  // Not in the metafile: the Lua binary is built from wasmoon.
  const packages = [...packagesIn(metafile, ROOT), resolve(ROOT, 'node_modules/wasmoon')]
  const inBinary = readFileSync(resolve(ROOT, 'infra/build/lua/LICENSES.txt'), 'utf8')
  writeFileSync(resolve(folder, 'LICENSES.txt'), licenceNotices(packages, [inBinary]))
  if (!isForWorkers(target)) {
    copyFileSync(resolve(ROOT, 'src/vm/lua.wasm'), resolve(folder, 'lua.wasm'))
  }
  if (target === 'cli') {
    addPackageFiles(folder)
    await addClient(folder)
  }
  if (SERVERS.includes(target)) {
    await buildSite()
    cpSync(SITE_FOLDER, resolve(folder, 'site'), { recursive: true })
  }
}

/** Why the APIs did not compile; the dev server reports it instead of stopping. */
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

const COMMAND = 'moonbucket.mjs'

/** Makes an npm package of the CLI bundle, without dependencies. */
function addPackageFiles(folder: string): void {
  const own = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as Manifest
  const { name, version, description, license } = own
  const manifest = {
    name,
    version,
    private: true,
    description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    bin: { moonbucket: COMMAND },
    exports: CLIENT_EXPORTS,
  }
  writeFileSync(resolve(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(resolve(ROOT, 'src/cli', COMMAND), resolve(folder, COMMAND))
  copyFileSync(resolve(ROOT, 'LICENSE'), resolve(folder, 'LICENSE'))
  writeFileSync(resolve(folder, 'README.md'), readme())
}

/** The command's guide, without links: the package does not contain their targets. */
function readme(): string {
  const guide = readFileSync(resolve(ROOT, 'docs/command.md'), 'utf8')
  return guide.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
}

/** The earliest date of the format, which stores local time. */
const DATE = new Date(1980, 0, 1)
const UNIX = 3
/** A regular file, world-readable: Lambda runs functions as an unprivileged user. */
const MODE = 0o100644

/** Deterministic. */
export function zip(
  entries: readonly { readonly name: string; readonly bytes: Uint8Array }[],
): Uint8Array {
  const files = Object.fromEntries(entries.map(({ name, bytes }) => [name, bytes]))
  return zipSync(files, { level: 9, mtime: DATE, os: UNIX, attrs: MODE * 0x10000 })
}
