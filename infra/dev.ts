/** `npm run dev`: the service on this machine, in workerd, with an R2 bucket that also speaks S3. */
import { createServer, type AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { InvalidConfig, parseConfig } from '../src/config.ts'
import { readOptions, run, UsageError } from './command-line.ts'
import { HOST, LOG_LEVELS, startLocalWorker, type LocalWorker } from './local-worker.ts'
import { DEFAULT_VARS_FILE, fromRoot, readLocalVars, ROOT, type LocalVars } from './local-vars.ts'
import { stopWithParent } from './stop-with-parent.ts'

const STATE = resolve(ROOT, '.wrangler/state')

const HELP = `Runs the service on this machine and reloads it when the source changes.

  npm run dev -- --port 8787

  --port N          listens on ${HOST}:N, 8787 by default; 0 takes any free port
  --persist-to DIR  keeps the bucket there; default .wrangler/state
  --vars FILE       settings and secrets, made on first use; default .dev.vars
  --var NAME=VALUE  one more setting, as often as needed
  --log-level LEVEL one of ${LOG_LEVELS.join(', ')}; default info`

await run('dev', async () => {
  const options = readOptions(HELP, {
    port: { type: 'string', default: '8787' },
    'persist-to': { type: 'string', default: STATE },
    vars: { type: 'string', default: DEFAULT_VARS_FILE },
    var: { type: 'string', multiple: true, default: [] },
    'log-level': { type: 'string', default: 'info' },
  })
  const extra = Object.fromEntries(options.var.map(parseVar))
  const logLevel = LOG_LEVELS.find((level) => level === options['log-level'])
  if (!logLevel) throw new UsageError(`--log-level must be one of ${LOG_LEVELS.join(', ')}`)
  const port = await freePort(options.port)
  const varsFile = resolve(options.vars)
  const vars = { ...readLocalVars(varsFile), ...extra }
  checkSettings(vars)
  const persist = resolve(options['persist-to'])
  let worker: LocalWorker | undefined
  stopWithParent(async () => worker?.dispose())
  worker = await startLocalWorker({ port, vars, varsFile, persist, logLevel })
  await worker.isListening
  console.info(greeting(port, varsFile, persist))
})

/** @throws {UsageError} if somebody listens there already. */
async function freePort(wanted: string): Promise<number> {
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

/** Here, because a Worker that fails to start keeps wrangler waiting for a change of the source. */
function checkSettings(vars: LocalVars): void {
  try {
    parseConfig(vars)
  } catch (error) {
    if (error instanceof InvalidConfig) throw new UsageError(error.message)
    throw error
  }
}

function parseVar(setting: string): [string, string] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(setting) ?? []
  if (name === undefined || value === undefined) {
    throw new UsageError(`--var must be NAME=VALUE, not ${JSON.stringify(setting)}`)
  }
  return [name, value]
}

function greeting(port: number, varsFile: string, persist: string): string {
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

Get a token:
  ${token}

Run a script:
  curl -s ${address}/execute -H "Authorization: Bearer $(${token})" -H 'Content-Type: application/json' -d ${body}
`
}

/** One word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
