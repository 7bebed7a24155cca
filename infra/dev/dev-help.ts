/** Shared by the dev commands: options, checks and the greeting. */
import { createServer, type AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { ParseArgsOptionsConfig } from 'node:util'
import { InvalidConfig, parseConfig, type ConfigDefaults } from '../../src/config.ts'
import { buildApis } from '../build/apis/build.ts'
import { BuildFailed } from '../build/apis/problems.ts'
import { whereToSet } from '../../src/entry/workers/where-to-set.ts'
import { configureApis } from '../../src/sdk/call/run-apis.ts'
import { readOptions, UsageError } from '../command-line.ts'
import { DEFAULT_VARS_FILE, fromRoot, readLocalVars, type LocalVars } from './local-vars.ts'
import { HOST } from './local-worker.ts'

interface DevCommand {
  readonly intro: string
  /** Where the bucket is kept by default. */
  readonly state: string
  /** In addition to those of all dev commands. */
  readonly options?: ParseArgsOptionsConfig
  readonly optionsHelp?: string
}

/** @throws {UsageError} */
export async function readDevOptions({ intro, state, options, optionsHelp = '' }: DevCommand) {
  const help = `${intro}

  --port N          listens on ${HOST}:N, 8787 by default; 0 picks a free port
  --persist-to DIR  folder of the bucket; default ${fromRoot(state)}
  --vars FILE       settings and secrets, created on first use; default .dev.vars
  --var NAME=VALUE  an additional setting; may be repeated${optionsHelp}`
  const given = readOptions(help, {
    ...options,
    port: { type: 'string', default: '8787' },
    'persist-to': { type: 'string', default: state },
    vars: { type: 'string', default: DEFAULT_VARS_FILE },
    var: { type: 'string', multiple: true, default: [] },
  })
  const extra = Object.fromEntries(given.var.map(parseVar))
  const varsFile = resolve(given.vars)
  return {
    given: given as Readonly<Record<string, unknown>>,
    port: await freePort(given.port),
    persist: resolve(given['persist-to']),
    varsFile,
    readVars: () => ({ ...readLocalVars(varsFile), ...extra }),
  }
}

/** @throws {UsageError} if the port is in use. */
export async function freePort(wanted: string): Promise<number> {
  if (!/^\d{1,5}$/.test(wanted) || Number(wanted) > 65_535) {
    throw new UsageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(wanted)}`)
  }
  const server = createServer()
  const listening = new Promise<number>((done, fail) => {
    server.once('error', fail)
    server.listen(Number(wanted), HOST, () => done((server.address() as AddressInfo).port))
  })
  const port = await listening.catch((error: NodeJS.ErrnoException) => {
    const problem = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${error.code})`
    throw new UsageError(`port ${wanted} ${problem}; choose another with --port`)
  })
  await new Promise((done) => server.close(done))
  return port
}

/**
 * Checked before starting, where errors can be shown well. Returns whether there are APIs.
 *
 * @throws {UsageError}
 */
export async function checkSettings(
  vars: LocalVars,
  varsFile: string,
  defaults?: ConfigDefaults,
): Promise<boolean> {
  try {
    const { allowsLoopbackApis: allowsLoopback } = parseConfig(vars, defaults)
    buildApis()
    const { compiled } = await import('../../src/sdk/compiled.js')
    const apis = configureApis(compiled, { env: vars, allowsLoopback, now: () => new Date() })
    return apis !== undefined
  } catch (error) {
    if (error instanceof InvalidConfig) {
      throw new UsageError(whereToSet(error.message, fromRoot(varsFile)))
    }
    throw error instanceof BuildFailed ? new UsageError(error.message) : error
  }
}

/** One `--var`. @throws {UsageError} */
function parseVar(setting: string): [string, string] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(setting) ?? []
  if (name === undefined || value === undefined) {
    throw new UsageError(`--var must be NAME=VALUE, not ${JSON.stringify(setting)}`)
  }
  return [name, value]
}

/** The service's URL, and how to call it from a shell. */
export function greeting(
  port: number,
  varsFile: string,
  persist: string,
  demoApi?: string,
): string {
  const address = `http://${HOST}:${port}`
  const file = varsFile === DEFAULT_VARS_FILE ? '' : ` --vars ${quoted(fromRoot(varsFile))}`
  const token = `npm run -s token -- --tenant acme --user alice${file}`
  const script = [
    'local f = io.open("output/hello.txt", "w")',
    'f:write("Hello from Lua\\n")',
    'f:close()',
    'print("wrote a file")',
    'return {answer = 6 * 7}',
  ].join(' ')
  const body = quoted(JSON.stringify({ script }))
  return `
Moonbucket runs at ${address} and keeps its files in ${fromRoot(persist)}. Ctrl-C stops it.
Open it in a browser to write and run scripts; its documentation is at ${address}/docs.
${demoApi === undefined ? '' : `Scripts can call a demo API, sdk.shop, which is at ${demoApi}.\n`}
Get a token:
  ${token}

Run a script:
  curl -s ${address}/execute -H "Authorization: Bearer $(${token})" -H 'Content-Type: application/json' -d ${body}
`
}

/** Quotes for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
