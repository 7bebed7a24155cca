/**
 * `npm run build:apis`: makes `src/sdk/compiled.js` out of `moonbucket.toml` and the specifications it names. Without
 * that file there are no APIs. With `--if-changed`, as npm runs it before dev, test and deploy, nothing is done
 * while the result is up to date.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { ApiInfo, CatalogTexts } from '../catalog.ts'
import { compileCatalog, EMPTY, inputsOf } from './compile-catalog.ts'
import { BuildFailed } from './problems.ts'
import { writeModule } from './write-module.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const TARGET = fileURLToPath(new URL('../compiled.js', import.meta.url))
const SETTINGS = resolve(ROOT, 'moonbucket.toml')
/** Sources outside of this folder that the result depends on. */
const SHARED = [
  '../catalog.ts',
  '../glob.ts',
  '../nearest.ts',
  '../request-body.ts',
  '../../config.ts',
]

/** Where settings are read and the result is written, and whether to look first if there is need to. */
export interface BuildOptions {
  /** Has to exist; without it, `moonbucket.toml` may be there or not. */
  readonly config?: string | undefined
  readonly target?: string | undefined
  readonly ifChanged?: boolean | undefined
}

/** Answers whether it built anything. @throws {BuildFailed} */
export function buildApis(options: BuildOptions = {}): boolean {
  const { config, target = TARGET, ifChanged = false } = options
  const path = config ?? (existsSync(SETTINGS) ? SETTINGS : undefined)
  if (path !== undefined && !isFile(path)) throw new BuildFailed([`there is no file ${path}`])
  const file = path === undefined ? '' : relative(process.cwd(), path)
  const stamp = `// ${hashInputs(path === undefined ? [] : inputsOf(path, file))}\n`
  if (ifChanged && existsSync(target) && readFileSync(target, 'utf8').startsWith(stamp))
    return false

  const { texts, warnings } =
    path === undefined ? { texts: EMPTY, warnings: [] } : compileCatalog(path, file)
  for (const warning of warnings) console.warn(`warning: ${warning}`)
  // Two builds at once must not show each other half a file.
  const partial = `${target}.${process.pid}`
  writeFileSync(partial, stamp + writeModule(texts))
  renameSync(partial, target)
  report(texts)
  return true
}

function hashInputs(inputs: readonly string[]): string {
  const hash = createHash('sha256')
  const here = fileURLToPath(new URL('.', import.meta.url))
  const sources = readdirSync(here)
    .sort()
    .map((name) => `${here}${name}`)
  const shared = SHARED.map((name) => `${here}${name}`)
  for (const path of [...sources, ...shared, ...inputs]) {
    hash.update(relative(ROOT, path)).update('\0')
    // What is missing is told later, by whoever needs it.
    if (isFile(path)) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function report({ apis, index, calls, types }: CatalogTexts): void {
  const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1000)} KB`
  for (const { name, kind, functions } of JSON.parse(apis) as ApiInfo[]) {
    const text = [index, calls, types].map((section) => section[name] ?? '').join('')
    const packed = kilobytes(gzipSync(text).length)
    const size =
      kind === 'mcp'
        ? 'an MCP server'
        : `${functions} ${functions === 1 ? 'function' : 'functions'}, ${kilobytes(text.length)}, ${packed} gzip`
    console.info(`${name}: ${size}`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { values } = parseArgs({
      options: { config: { type: 'string' }, 'if-changed': { type: 'boolean' } },
    })
    const config = values.config === undefined ? undefined : resolve(values.config)
    buildApis({ config, ifChanged: values['if-changed'] })
  } catch (error) {
    const isUsage = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')
    if (!(error instanceof BuildFailed) && !isUsage) throw error
    for (const line of (error as Error).message.split('\n')) console.error(`build:apis: ${line}`)
    process.exitCode = 1
  }
}
