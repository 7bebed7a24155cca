/** The commands that talk to a service: their options, words and help. */
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Terminal } from '../options.ts'

/** As parsed. */
export interface RemoteInput {
  readonly words: readonly string[]
  readonly values: Readonly<Record<string, string | boolean | undefined>>
}

/** Returns the exit code. */
export type RemoteAction = (
  input: RemoteInput,
  terminal: Terminal,
  signal: AbortSignal,
) => Promise<number>

interface RemoteCommand {
  /** Of the words, upper case; those in brackets may be left out. */
  readonly usage: string
  readonly summary: string
  readonly options?: ParseArgsOptionsConfig
  /** One line per option of its own. */
  readonly optionHelp?: string
  readonly details?: string
  readonly example: string
  readonly load: () => Promise<RemoteAction>
}

const value = { type: 'string' } as const
const flag = { type: 'boolean' } as const

/** Of every command but `login`. */
export const SHARED_OPTIONS = { profile: value, json: flag, help: { ...flag, short: 'h' } } as const

const account = () => import('./account.ts')
const files = () => import('./files.ts')
const admin = () => import('./scripts-and-keys.ts')
const runs = () => import('./runs.ts')

const REMOTE_COMMANDS = {
  login: {
    usage: 'URL',
    summary: 'signs in to a service',
    options: { key: value },
    optionHelp: '  --key KEY         an API key or token; others on this machine may see it',
    details: `The key is read from standard input, or asked for. In a terminal, if the service has OAuth, the command shows an
address to open in a browser instead. The key or tokens are kept in moonbucket/profiles.json in the config folder
(XDG_CONFIG_HOME), readable only by its owner. --profile names the profile; the default name is default.`,
    example: 'moonbucket login https://moonbucket.example < key.txt',
    load: async () => (await account()).login,
  },
  logout: {
    usage: '',
    summary: 'forgets a service',
    example: 'moonbucket logout --profile work',
    load: async () => (await account()).logout,
  },
  whoami: {
    usage: '',
    summary: 'shows which service is used, and whether it accepts the key',
    example: 'moonbucket whoami',
    load: async () => (await account()).whoami,
  },
  ls: {
    usage: '[FOLDER]',
    summary: 'lists files',
    options: { recursive: { ...flag, short: 'r' } },
    optionHelp: '  --recursive, -r   includes everything below',
    example: 'moonbucket ls output',
    load: async () => (await files()).list,
  },
  get: {
    usage: 'PATH [FILE]',
    summary: 'downloads a file',
    details: 'FILE is - for standard output; by default, it is the last part of PATH.',
    example: 'moonbucket get output/rows.csv',
    load: async () => (await files()).get,
  },
  put: {
    usage: 'FILE [PATH]',
    summary: 'uploads a file',
    options: { new: flag },
    optionHelp: '  --new             never replaces a file',
    details:
      'FILE is - for standard input, which needs a PATH; by default PATH is the name of FILE.',
    example: 'moonbucket put rows.csv data/rows.csv',
    load: async () => (await files()).put,
  },
  rm: {
    usage: 'PATH',
    summary: 'deletes a file or a folder',
    options: { recursive: { ...flag, short: 'r' } },
    optionHelp: '  --recursive, -r   deletes a folder and everything in it',
    example: 'moonbucket rm -r output/old',
    load: async () => (await files()).remove,
  },
  link: {
    usage: 'PATH',
    summary: 'creates a link that opens without a token',
    options: { ttl: value, upload: flag },
    optionHelp: `  --ttl SECONDS     how long it works
  --upload          creates a link that accepts a file instead`,
    example: 'moonbucket link output/rows.csv --ttl 3600',
    load: async () => (await files()).link,
  },
  scripts: {
    usage: '[NAME]',
    summary: 'lists saved scripts, or runs one',
    options: { args: value },
    optionHelp: '  --args JSON       its arguments, as its first comment describes them',
    example: `moonbucket scripts reports/daily --args '{"day": "2026-11-17"}'`,
    load: async () => (await admin()).scripts,
  },
  keys: {
    usage: '[ACTION] [ID]',
    summary: 'lists, creates and revokes API keys',
    options: { name: value, scopes: value, paths: value, user: value, ttl: value },
    optionHelp: `  --name NAME       with create: what it is for
  --scopes LIST     with create: such as execute,files:read
  --paths LIST      with create: the only folders it opens
  --user USER       with create: whose files it opens
  --ttl SECONDS     with create: how long it works`,
    details: `ACTION is create, which prints the new key once, or revoke with the ID of a key. It needs the scope admin.`,
    example: 'moonbucket keys create --name backup --scopes files:read',
    load: async () => (await admin()).keys,
  },
  runs: {
    usage: '',
    summary: 'lists background runs, newest first',
    options: { status: value, limit: value },
    optionHelp: `  --status STATUS   only these: queued, running, succeeded, failed, cancelled, lost
  --limit N         at most this many; default 20`,
    example: 'moonbucket runs --status running',
    load: async () => (await runs()).listRuns,
  },
  logs: {
    usage: 'ID',
    summary: 'prints the logs of a background run',
    options: { follow: { ...flag, short: 'f' } },
    optionHelp: '  --follow, -f      continues until the run ends, and exits with 1 if it failed',
    example: 'moonbucket logs -f fe65bd97d0ff8d1c6f2a9e04',
    load: async () => (await runs()).logs,
  },
  cancel: {
    usage: 'ID',
    summary: 'cancels a background run',
    example: 'moonbucket cancel fe65bd97d0ff8d1c6f2a9e04',
    load: async () => (await runs()).cancel,
  },
} as const satisfies Record<string, RemoteCommand>

export type RemoteName = keyof typeof REMOTE_COMMANDS

export function isRemote(name: string): name is RemoteName {
  return Object.hasOwn(REMOTE_COMMANDS, name)
}

export function remoteCommand(name: RemoteName): RemoteCommand {
  return REMOTE_COMMANDS[name]
}

export function remoteHelp(name: RemoteName): string {
  const { usage, summary, optionHelp, details, example } = remoteCommand(name)
  const own = optionHelp === undefined ? '' : `${optionHelp}\n`
  return `${summary[0]!.toUpperCase()}${summary.slice(1)}.

  moonbucket ${[name, usage, '[options]'].filter(Boolean).join(' ')}
${details === undefined ? '' : `\n${details}\n`}
${own}  --profile NAME    which service; by default the one you last signed in to
  --json            prints JSON

Exit codes: 0; 1 if the service refused or the run failed; 2 for a wrong command line; 130 after Ctrl-C.

Example:
  ${example}`
}

/** For the help of all commands. */
export function remoteSummary(): string {
  const rows = Object.entries(REMOTE_COMMANDS).map(([name, { usage, summary }]) => {
    const words = `moonbucket ${name} ${usage}`.trimEnd()
    return `  ${words.padEnd(32)}${summary}`
  })
  return rows.join('\n')
}
