/** The APIs of `moonbucket.toml` in the current folder, or the demo API if it describes none. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { InvalidConfig } from '../config.ts'
import { nodeFetch } from '../lib/node-fetch.ts'
import { configureApis, type Apis } from '../sdk/call/run-apis.ts'
import { UsageError } from '../errors.ts'
import { SETTINGS_FILE } from './local-settings.ts'
import type { Terminal } from './options.ts'

export interface LocalApisOptions {
  /** Whether the settings describe any. */
  readonly areConfigured: boolean
  /** Whether anything would notice the demo. */
  readonly wantsDemo: boolean
}

/** Secrets are in the environment or in `.env`. @throws {UsageError} */
export async function localApis(
  terminal: Terminal,
  { areConfigured, wantsDemo }: LocalApisOptions,
): Promise<Apis | undefined> {
  if (!areConfigured && !wantsDemo) return undefined
  const texts = areConfigured ? await terminal.compileApis(SETTINGS_FILE) : await demo()
  const env = { ...envFileIn(terminal.folder), ...terminal.env }
  try {
    const now = () => new Date()
    return configureApis(texts, { env, allowsLoopback: true, now, fetch: nodeFetch })
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error
    throw new UsageError(`${error.message}; set it in the environment or in .env`)
  }
}

/** Loaded and served only if needed. */
async function demo() {
  const [{ demoCatalog }, { serveShop }] = await Promise.all([
    import('../demo/demo-catalog.ts'),
    import('../demo/serve-shop.ts'),
  ])
  return demoCatalog((await serveShop()).origin)
}

function envFileIn(folder: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(join(folder, '.env'), 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    throw new UsageError(`.env cannot be read (${code})`)
  }
}
