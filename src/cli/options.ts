/** Parses the command line. */
import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import type { CatalogTexts } from '../sdk/catalog/catalog.ts'
import { isJson } from '../lib/json/parse-json.ts'
import { UsageError } from '../errors.ts'
import type { HELP } from './help.ts'
import type { LocalOptions } from './local-settings.ts'
import {
  isRemote,
  remoteCommand,
  SHARED_OPTIONS,
  type RemoteInput,
  type RemoteName,
} from './remote/commands.ts'

/** A command's surroundings, so that tests can run it without a process. */
export interface Terminal {
  /** The working directory. */
  readonly folder: string
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** Emits process signals. */
  readonly signals: EventEmitter
  /** For secrets of APIs. */
  readonly env: NodeJS.Dict<string>
  /** Compiles the APIs of a settings file in the folder; cached. @throws {UsageError} */
  compileApis(file: string): Promise<CatalogTexts>
}

export interface RunOptions extends LocalOptions {
  /** A path, or `-` for standard input. */
  readonly script: string
  /** As text: large numbers would lose digits. */
  readonly argsJson?: string | undefined
  /** Prints the whole answer instead of the result. */
  readonly wantsJson: boolean
  /** Stores nothing, and prints what the script would do. */
  readonly isPlan: boolean
  /** In a service instead of here. */
  readonly isRemote?: boolean
  readonly isBackground?: boolean
  readonly profile?: string | undefined
}

export interface TypesOptions {
  /** Where the files go; relative to the working directory. */
  readonly out: string
}

export type Command =
  | { readonly name: 'help'; readonly topic: keyof typeof HELP }
  | { readonly name: 'version' }
  | ({ readonly name: 'run' } & RunOptions)
  | ({ readonly name: 'mcp' } & LocalOptions)
  | ({ readonly name: 'types' } & TypesOptions)
  | { readonly name: 'remote'; readonly command: RemoteName; readonly input: RemoteInput }
  | { readonly name: 'remote-help'; readonly command: RemoteName }

const value = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const help = { ...flag, short: 'h' } as const
const local = { 'io-dir': value, fuel: value, timeout: value, memory: value, help } as const
/** Hidden from listings, like the folders of other tools. */
const TYPES_FOLDER = '.luals'

/** @throws {UsageError} */
export function parseCommand([name, ...args]: readonly string[]): Command {
  switch (name) {
    case '--help':
    case '-h':
      return { name: 'help', topic: 'moonbucket' }
    case '--version':
      return { name: 'version' }
    case 'run':
      return parseRun(args)
    case 'mcp':
      return parseMcp(args)
    case 'types':
      return parseTypes(args)
    case undefined:
      throw new UsageError('missing command: run, mcp or types; see moonbucket --help')
    default:
      if (isRemote(name)) return parseRemote(name, args)
      throw new UsageError(`unknown command ${JSON.stringify(name)}; see moonbucket --help`)
  }
}

function parseRun(args: readonly string[]): Command {
  const { values, positionals } = read('run', args, {
    ...local,
    args: value,
    json: flag,
    plan: flag,
    remote: flag,
    background: flag,
    profile: value,
  })
  if (values.help) return { name: 'help', topic: 'run' }
  const [script, ...others] = positionals
  if (script === undefined) {
    throw new UsageError('run needs a script, or - for standard input; see moonbucket run --help')
  }
  refuseOthers('run', others)
  const { args: argsJson, json: wantsJson = false, plan: isPlan = false } = values
  if (argsJson !== undefined && !isJson(argsJson)) {
    throw new UsageError(`--args must be JSON, such as '{"count": 3}'`)
  }
  const { remote = false, background = false, profile } = values
  if (remote && values['io-dir'] !== undefined) {
    throw new UsageError('--io-dir is for runs on this machine; see moonbucket run --help')
  }
  if (!remote && (background || profile !== undefined)) {
    const option = background ? '--background' : '--profile'
    throw new UsageError(`${option} needs --remote; see moonbucket run --help`)
  }
  const where = { isRemote: remote, isBackground: background, profile }
  return { name: 'run', script, argsJson, wantsJson, isPlan, ...where, ...localOptions(values) }
}

/** Words in brackets may be left out. */
function parseRemote(name: RemoteName, args: readonly string[]): Command {
  const { usage, options = {} } = remoteCommand(name)
  const { values, positionals } = read(name, args, { ...options, ...SHARED_OPTIONS })
  if (values.help) return { name: 'remote-help', command: name }
  const words = usage.split(' ').filter(Boolean)
  const missing = words[positionals.length]
  if (missing !== undefined && !missing.startsWith('[')) {
    throw new UsageError(`${name} needs ${missing}; see moonbucket ${name} --help`)
  }
  refuseOthers(name, positionals.slice(words.length))
  const input = { words: positionals, values: values as RemoteInput['values'] }
  return { name: 'remote', command: name, input }
}

function parseMcp(args: readonly string[]): Command {
  const { values, positionals } = read('mcp', args, local)
  if (values.help) return { name: 'help', topic: 'mcp' }
  refuseOthers('mcp', positionals)
  return { name: 'mcp', ...localOptions(values) }
}

function parseTypes(args: readonly string[]): Command {
  const { values, positionals } = read('types', args, { out: value, help })
  if (values.help) return { name: 'help', topic: 'types' }
  refuseOthers('types', positionals)
  return { name: 'types', out: values.out ?? TYPES_FOLDER }
}

function read<T extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  options: T,
) {
  let parsed
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    // Strips Node's advice.
    const [problem] = (error as Error).message.split(/\.? (?=To specify)|\.?\n/)
    throw new UsageError(`${problem}; see moonbucket ${command} --help`)
  }
  const empty = Object.entries(parsed.values).find(([, given]) => given === '')
  if (empty) throw new UsageError(`--${empty[0]} needs a value; see moonbucket ${command} --help`)
  return parsed
}

type Values = Partial<Record<'io-dir' | 'fuel' | 'timeout' | 'memory', string>>

function localOptions({ 'io-dir': ioDir, fuel, timeout, memory }: Values): LocalOptions {
  return { ioDir, fuel, timeout, memory }
}

function refuseOthers(command: string, [word]: readonly string[]): void {
  if (word === undefined) return
  throw new UsageError(`unexpected ${JSON.stringify(word)}; see moonbucket ${command} --help`)
}
