/** The service of one person on their own machine: no tokens, no areas, no server, a folder as the store. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadLua } from '#lua-wasm'
import { SCOPES, type Caller } from '../caller.ts'
import { InvalidConfig, parseConfig, type Config } from '../config.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { Admission } from '../operations/run/admission.ts'
import type { RequestContext, Service } from '../operations/service.ts'
import { folderStorage } from '../storage/folder/folder.ts'
import {
  readSettings,
  UsageError,
  type LocalOptions,
  type LocalSettings,
} from './local-settings.ts'
import { noStorage, tellingWhy } from './local-storage.ts'

const BUDGET_BYTES = 512 * 1024 * 1024

/** Results go to whoever is there to read them: nobody has to fetch them from a file. */
const LIMITS = { ...DEFAULT_LIMITS, resultBytes: Number.MAX_SAFE_INTEGER }

const CALLER: Caller = {
  tenant: 'local',
  user: null,
  isCompanion: false,
  scopes: new Set(SCOPES),
}

/** By the setting that means the same in the service. */
const OPTIONS: Readonly<Record<string, string>> = {
  FUEL: '--fuel',
  TIMEOUT_MS: '--timeout',
  VM_MEMORY_BYTES: '--memory',
}

/** @throws {UsageError} for an option or a setting that is wrong. */
export async function localService(
  here: string,
  options: LocalOptions,
  log: Service['log'],
): Promise<Service> {
  const settings = readSettings(here, options)
  const { folder } = settings
  return {
    config: localConfig(options, settings),
    storage: folder === undefined ? noStorage() : tellingWhy(folderStorage(folder)),
    lua: await loadLua(),
    admission: new Admission(BUDGET_BYTES),
    now: () => new Date(),
    log,
    addressOf: folder === undefined ? undefined : addressesIn(folder),
  }
}

/** Links that need no server: the files themselves. */
function addressesIn(folder: string): Service['addressOf'] {
  return (path) => pathToFileURL(join(folder, path)).href
}

/** One thing the person asks for. */
export function localContext(service: Service, signal?: AbortSignal): RequestContext {
  return { service, caller: CALLER, requestId: randomUUID(), baseUrl: '', signal }
}

/** The environment does not count: it may be full of settings of something else. */
function localConfig(options: LocalOptions, { folder, maxBytes }: LocalSettings): Config {
  // Nothing is ever signed with it.
  const secret = randomUUID()
  const settings = {
    AUTH_SECRET: secret,
    LINK_SECRET: secret,
    IO_ENABLED: folder !== undefined,
    IO_MAX_BYTES: maxBytes,
    FUEL: options.fuel,
    TIMEOUT_MS: options.timeout,
    VM_MEMORY_BYTES: options.memory,
  }
  try {
    const config = parseConfig(settings, { limits: LIMITS })
    if (config.limits.memoryBytes > DEFAULT_LIMITS.memoryBytes) {
      throw new InvalidConfig('VM_MEMORY_BYTES', `must be at most ${DEFAULT_LIMITS.memoryBytes}`)
    }
    return { ...config, sharedDir: undefined }
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error
    throw new UsageError(error.message.replace(/^\w+/, (name) => OPTIONS[name] ?? name))
  }
}
