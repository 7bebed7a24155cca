/** Shared by the dev commands: options, checks and the greeting. */
import { createServer, type AddressInfo } from 'node:net'
import type { ParseArgsOptionsConfig } from 'node:util'
import { InvalidConfig, parseConfig, type ConfigDefaults } from '../../src/config.ts'
import { buildApis } from '../build/apis/build.ts'
import { BuildFailed } from '../build/apis/problems.ts'
import { configureApis } from '../../src/sdk/call/run-apis.ts'
import { UsageError } from '../command-line.ts'
import { DEFAULT_VARS_FILE, fromRoot, type LocalVars } from './local-vars.ts'
import { HOST } from './local-worker.ts'

/** @param state Where the bucket is kept by default. */
export const devOptions = (state: string) =>
  ({
    port: { type: 'string', default: '8787' },
    'persist-to': { type: 'string', default: state },
    vars: { type: 'string', default: DEFAULT_VARS_FILE },
    var: { type: 'string', multiple: true, default: [] },
  }) as const satisfies ParseArgsOptionsConfig

export const devOptionsHelp = (state: string) =>
  `  --port N          listens on ${HOST}:N, 8787 by default; 0 takes any free port
  --persist-to DIR  keeps the bucket there; default ${fromRoot(state)}
  --vars FILE       settings and secrets, made on first use; default .dev.vars
  --var NAME=VALUE  one more setting, as often as needed`

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

/** Checked before starting, where errors can be shown well. @throws {UsageError} */
export async function checkSettings(vars: LocalVars, defaults?: ConfigDefaults): Promise<void> {
  try {
    const { allowsLoopbackApis: allowsLoopback } = parseConfig(vars, defaults)
    buildApis()
    const { compiled } = await import('../../src/sdk/compiled.js')
    configureApis(compiled, { env: vars, allowsLoopback, now: () => new Date() })
  } catch (error) {
    const isOurs = error instanceof InvalidConfig || error instanceof BuildFailed
    throw isOurs ? new UsageError(error.message) : error
  }
}

/** One `--var`. @throws {UsageError} */
export function parseVar(setting: string): [string, string] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(setting) ?? []
  if (name === undefined || value === undefined) {
    throw new UsageError(`--var must be NAME=VALUE, not ${JSON.stringify(setting)}`)
  }
  return [name, value]
}

/** The service's URL, and how to call it from a shell. */
export function greeting(port: number, varsFile: string, persist: string): string {
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
Moonbucket is at ${address} and keeps its files in ${fromRoot(persist)}. Ctrl-C ends it.
Open it in a browser to write and run scripts; its documentation is at ${address}/docs.

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
