/** `npm run dev`: the service in local workerd, with an R2 bucket that also speaks S3. */
import { rmSync, watchFile } from 'node:fs'
import { resolve } from 'node:path'
import { readOptions, run, UsageError } from '../command-line.ts'
import {
  checkSettings,
  devOptions,
  devOptionsHelp,
  freePort,
  greeting,
  parseVar,
} from './dev-help.ts'
import { makeLocalSite } from './local-site.ts'
import { LOG_LEVELS, startLocalWorker, type LocalWorker } from './local-worker.ts'
import { readLocalVars } from './local-vars.ts'
import { ROOT } from '../root.ts'
import { serveShop } from '../../src/demo/serve-shop.ts'
import { stopWithParent } from '../stop-with-parent.ts'

const STATE = resolve(ROOT, '.wrangler/state')

const POLL_MS = 500

const HELP = `Runs the service on this machine and reloads it when source or settings change.

  npm run dev -- --port 8787

${devOptionsHelp(STATE)}
  --log-level LEVEL one of ${LOG_LEVELS.join(', ')}; default info`

await run('dev', async () => {
  const options = readOptions(HELP, {
    ...devOptions(STATE),
    'log-level': { type: 'string', default: 'info' },
  })
  const extra = Object.fromEntries(options.var.map(parseVar))
  const logLevel = LOG_LEVELS.find((level) => level === options['log-level'])
  if (!logLevel) throw new UsageError(`--log-level must be one of ${LOG_LEVELS.join(', ')}`)
  const port = await freePort(options.port)
  const varsFile = resolve(options.vars)
  const readVars = () => ({ ...readLocalVars(varsFile), ...extra })
  const vars = readVars()
  const hasApis = await checkSettings(vars)
  const persist = resolve(options['persist-to'])
  const site = resolve(ROOT, `.wrangler/site-${port}`)
  let worker: LocalWorker | undefined
  stopWithParent(async () => {
    rmSync(site, { recursive: true, force: true })
    await worker?.dispose()
  })
  const signToken = await makeLocalSite(site, vars)
  const { origin: demoApi } = await serveShop(port + 1)
  worker = await startLocalWorker({ port, site, vars, varsFile, persist, logLevel, demoApi })
  await worker.isListening
  const takeVars = async () => {
    const changed = readVars()
    await signToken(changed)
    await worker?.setVars(changed)
  }
  watchFile(varsFile, { interval: POLL_MS, persistent: false }, () => {
    // Keeps the old settings until the file is readable.
    takeVars().catch((error: unknown) => console.error(`dev: ${(error as Error).message}`))
  })
  console.info(greeting(port, varsFile, persist, hasApis ? undefined : demoApi))
})
