/**
 * `npm run build:apis`: compiles `moonbucket.toml` and the specifications it names to
 * `src/sdk/compiled.js`. Without that file there are no APIs. Cached; `--force` always builds.
 */
import { existsSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { ROOT } from '../../root.ts'
import { checkInputs, replaceFile, stampOf } from '../up-to-date.ts'
import type { ApiInfo, CatalogTexts } from '../../../src/sdk/catalog/catalog.ts'
import { compileCatalog, EMPTY, inputsOf, writeModule } from './compile-catalog.ts'
import { BuildFailed } from './problems.ts'

const TARGET = resolve(ROOT, 'src/sdk/compiled.js')
export const APIS_FILE = resolve(ROOT, 'moonbucket.toml')
/** Changes with every build of the APIs. */
export const APIS_STAMP = stampOf(TARGET)

export interface BuildOptions {
  /** Must exist; the default, `moonbucket.toml`, need not. */
  readonly config?: string | undefined
  readonly target?: string | undefined
  readonly force?: boolean | undefined
}

/** The demo API, which only local servers and the command offer. */
export function buildDemo(): boolean {
  return buildApis({
    config: resolve(ROOT, 'examples/demo.toml'),
    target: resolve(ROOT, 'src/demo/compiled.js'),
  })
}

/** Returns whether it built. @throws {BuildFailed} */
export function buildApis(options: BuildOptions = {}): boolean {
  const { config, target = TARGET, force = false } = options
  const path = config ?? (existsSync(APIS_FILE) ? APIS_FILE : undefined)
  if (path !== undefined && !isFile(path)) throw new BuildFailed([`no such file: ${path}`])
  const file = path === undefined ? '' : relative(process.cwd(), path)
  const inputs = checkInputs({
    target,
    sources: [fileURLToPath(import.meta.url)],
    data: path === undefined ? [] : inputsOf(path, file),
  })
  if (inputs.areSame && !force) return false

  const { texts, warnings } =
    path === undefined ? { texts: EMPTY, warnings: [] } : compileCatalog(path, file)
  for (const warning of warnings) console.warn(`warning: ${warning}`)
  replaceFile(target, writeModule(texts))
  inputs.keep()
  report(texts)
  return true
}

/** Named by `moonbucket.toml`; none while it is missing or invalid. */
export function specFiles(): string[] {
  try {
    return existsSync(APIS_FILE) ? inputsOf(APIS_FILE, APIS_FILE).slice(1) : []
  } catch (error) {
    if (error instanceof BuildFailed) return []
    throw error
  }
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
      options: { config: { type: 'string' }, force: { type: 'boolean' } },
    })
    const config = values.config === undefined ? undefined : resolve(values.config)
    buildApis({ config, force: values.force })
  } catch (error) {
    const isUsage = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')
    if (!(error instanceof BuildFailed) && !isUsage) throw error
    for (const line of (error as Error).message.split('\n')) console.error(`build:apis: ${line}`)
    process.exitCode = 1
  }
}
