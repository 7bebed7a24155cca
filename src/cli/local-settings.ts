/** Local settings: options first, then `moonbucket.toml`. */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import * as z from 'zod'
import { UsageError } from '../errors.ts'

/** As written on the command line. */
export interface LocalOptions {
  readonly ioDir?: string | undefined
  readonly fuel?: string | undefined
  /** Milliseconds. */
  readonly timeout?: string | undefined
  /** Bytes. */
  readonly memory?: string | undefined
}

export interface LocalSettings {
  /** Absolute; absent if files are disabled. It need not exist. */
  readonly folder?: string | undefined
  /** Per run. */
  readonly maxBytes?: number | undefined
  /** Whether it describes APIs or MCP servers. */
  readonly hasApis: boolean
}

export const SETTINGS_FILE = 'moonbucket.toml'
const DEFAULT_DIR = 'moonbucket-files'

// Only for the file: it comes with a project, perhaps from someone else.
const dir = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .refine((path) => !path.split(/[\\/]/).includes('..'), "cannot contain '..'")

const io = z.strictObject(
  {
    dir: dir.optional(),
    max_bytes: z.int('must be a whole number').min(1, 'must be at least 1').optional(),
    enabled: z.boolean('must be true or false').optional(),
  },
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'must be a table') },
)

const KEYS = Object.keys(io.shape)

/** The other tables are checked when they are compiled. */
const file = z.object({
  io: io.optional(),
  apis: z.unknown().optional(),
  mcp_servers: z.unknown().optional(),
})

/** @throws {UsageError} */
export function readLocalSettings(cwd: string, { ioDir }: LocalOptions): LocalSettings {
  const settings = parseSettings(readIfExists(resolve(cwd, SETTINGS_FILE)))
  const { io: set = {}, apis, mcp_servers } = settings
  const isOff = set.enabled === false && ioDir === undefined
  const folder = isOff ? undefined : resolve(cwd, ioDir ?? set.dir ?? DEFAULT_DIR)
  if (folder !== undefined) assertFolder(folder)
  const hasApis = apis !== undefined || mcp_servers !== undefined
  return { folder, maxBytes: set.max_bytes, hasApis }
}

function readIfExists(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw new UsageError(`${SETTINGS_FILE} cannot be read (${code})`)
  }
}

function parseSettings(text: string): z.output<typeof file> {
  const checked = file.safeParse(parseToml(text))
  if (checked.success) return checked.data
  const issue = checked.error.issues[0]!
  if (issue.code === 'unrecognized_keys') {
    const unknown = JSON.stringify(issue.keys[0])
    throw new UsageError(`${SETTINGS_FILE}: [io] has no key ${unknown}, only ${KEYS.join(', ')}`)
  }
  const [table, key] = issue.path
  const name = key === undefined ? `[${String(table)}]` : `[${String(table)}] ${String(key)}`
  throw new UsageError(`${SETTINGS_FILE}: ${name} ${issue.message}`)
}

function parseToml(text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [problem] = error.message.split('\n')
    throw new UsageError(`${SETTINGS_FILE}:${error.line}:${error.column}: ${problem}`)
  }
}

/** Checked early: a script would only see single files fail. */
function assertFolder(path: string): void {
  try {
    if (!statSync(path).isDirectory()) throw new UsageError(`${path} is not a folder`)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') throw new UsageError(`${path} cannot be a folder: it lies below a file`)
    // The first write creates it.
    if (code !== 'ENOENT') throw new UsageError(`${path} cannot be used as a folder (${code})`)
  }
}
