/** The service for local use: no tokens, tenants or server, and a folder as the store. */
import { createHash, randomUUID } from 'node:crypto'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadLua } from '#lua-wasm'
import { SCOPES, type Caller } from '../caller.ts'
import { InvalidConfig, parseConfig, type Config } from '../config.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { Admission } from '../operations/memory/admission.ts'
import type { RequestContext, Service } from '../operations/service.ts'
import { folderStorage } from '../storage/folder/folder.ts'
import { AppError, UsageError } from '../errors.ts'
import type { StorageDriver } from '../storage/driver.ts'
import { FolderError } from '../storage/folder/errors.ts'
import { localApis, type LocalApisOptions } from './local-apis.ts'
import type { Terminal } from './options.ts'
import { readLocalSettings, type LocalOptions, type LocalSettings } from './local-settings.ts'

const BUDGET_BYTES = 512 * 1024 * 1024

/** Results are printed, never stored in a file. */
const LIMITS = { ...DEFAULT_LIMITS, resultBytes: Number.MAX_SAFE_INTEGER }

const CALLER: Caller = {
  tenant: 'local',
  user: null,
  isCompanion: false,
  scopes: new Set(SCOPES),
}

/** Setting → command-line option. */
const OPTIONS: Readonly<Record<string, string>> = {
  FUEL: '--fuel',
  TIMEOUT_MS: '--timeout',
  VM_MEMORY_BYTES: '--memory',
}

export interface LocalServiceOptions extends LocalOptions, Pick<LocalApisOptions, 'wantsDemo'> {}

/** @throws {UsageError} */
export async function localService(
  terminal: Terminal,
  { wantsDemo, ...options }: LocalServiceOptions,
  log: Service['log'],
): Promise<Service> {
  const settings = readLocalSettings(terminal.folder, options)
  const { folder, hasApis: areConfigured } = settings
  return {
    config: localConfig(options, settings),
    storage: folder === undefined ? noStorage() : withReasons(folderStorage(folder)),
    lua: await loadLua(),
    admission: new Admission(BUDGET_BYTES),
    now: () => new Date(),
    apis: await localApis(terminal, { areConfigured, wantsDemo }),
    log,
    addressOf: folder === undefined ? undefined : fileUrlsIn(folder),
  }
}

/** `file:` URLs. */
function fileUrlsIn(folder: string): Service['addressOf'] {
  return (path) => pathToFileURL(join(folder, path)).href
}

export function localContext(service: Service, signal?: AbortSignal): RequestContext {
  return { service, caller: CALLER, requestId: randomUUID(), baseUrl: '', signal }
}

/** Ignores the environment: it may hold another service's settings. */
function localConfig(options: LocalOptions, { folder, maxBytes }: LocalSettings): Config {
  const settings = {
    // Never used.
    AUTH_SECRET: randomUUID(),
    // Signs what `sdk.dump` leaves for a later run of the command, so it must stay the same.
    LINK_SECRET: createHash('sha256').update(`${hostname()} ${homedir()} ${folder}`).digest('hex'),
    IO_ENABLED: folder !== undefined,
    IO_MAX_BYTES: maxBytes,
    FUEL: options.fuel,
    TIMEOUT_MS: options.timeout,
    VM_MEMORY_BYTES: options.memory,
  }
  try {
    return { ...parseConfig(settings, { limits: LIMITS }), sharedDir: undefined }
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error
    throw new UsageError(error.message.replace(/^\w+/, (name) => OPTIONS[name] ?? name))
  }
}

/** Shows callers why the folder failed: on one's own machine that is no secret. */
function withReasons(storage: StorageDriver): StorageDriver {
  return {
    get: (...args) => storage.get(...args).catch(raise),
    getStream: (...args) => storage.getStream(...args).catch(raise),
    head: (...args) => storage.head(...args).catch(raise),
    put: (...args) => storage.put(...args).catch(raise),
    putStream: (...args) => storage.putStream(...args).catch(raise),
    async createUpload(...args) {
      const upload = await storage.createUpload(...args).catch(raise)
      return {
        putPart: (...part) => upload.putPart(...part).catch(raise),
        complete: (...how) => upload.complete(...how).catch(raise),
        abort: () => upload.abort().catch(raise),
      }
    },
    delete: (...args) => storage.delete(...args).catch(raise),
    ...(storage.deleteIf && {
      deleteIf: (...args: Parameters<NonNullable<StorageDriver['deleteIf']>>) =>
        storage.deleteIf!(...args).catch(raise),
    }),
    copy: (...args) => storage.copy(...args).catch(raise),
    async *list(...args) {
      try {
        yield* storage.list(...args)
      } catch (error) {
        raise(error)
      }
    },
  }
}

/** Stands in when files are disabled. */
function noStorage(): StorageDriver {
  const refuse = async (): Promise<never> => {
    throw new AppError('forbidden', 'Files are disabled in moonbucket.toml.')
  }
  return {
    get: refuse,
    getStream: refuse,
    head: refuse,
    put: refuse,
    putStream: refuse,
    createUpload: refuse,
    delete: refuse,
    deleteIf: refuse,
    copy: refuse,
    async *list() {
      yield await refuse()
    },
  }
}

function raise(error: unknown): never {
  if (!(error instanceof FolderError)) throw error
  const [first = '', ...rest] = error.message
  const message = `${first.toUpperCase()}${rest.join('')}.`
  throw new AppError('storage_unavailable', message, { cause: error })
}
