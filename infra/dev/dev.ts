/** `npm run dev`: the service in local workerd, with an R2 bucket that also speaks S3. */
import { rmSync, watchFile } from 'node:fs'
import { resolve } from 'node:path'
import { run, UsageError } from '../command-line.ts'
import { ROOT } from '../root.ts'
import { serveShop } from '../../src/demo/serve-shop.ts'
import { stopWithParent } from '../stop-with-parent.ts'
import { checkSettings, greeting, readDevOptions } from './dev-help.ts'
import { makeLocalSite } from './local-site.ts'
import { LOG_LEVELS, startLocalWorker, type LocalWorker } from './local-worker.ts'
import { watchSpecs } from './watch-specs.ts'

const POLL_MS = 500

const LEVELS = LOG_LEVELS.join(', ')

await run('dev', async () => {
  const { given, port, persist, varsFile, readVars } = await readDevOptions({
    intro: `Runs the service on this machine and reloads it when source or settings change.

  npm run dev -- --port 8787`,
    state: resolve(ROOT, '.wrangler/state'),
    options: { 'log-level': { type: 'string', default: 'info' } },
    optionsHelp: `\n  --log-level LEVEL one of ${LEVELS}; default info`,
  })
  const logLevel = LOG_LEVELS.find((level) => level === given['log-level'])
  if (!logLevel) throw new UsageError(`--log-level must be one of ${LEVELS}`)
  const vars = readVars()
  const hasApis = await checkSettings(vars, varsFile)
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
  watchSpecs()
  console.info(greeting(port, varsFile, persist, hasApis ? undefined : demoApi))
})
