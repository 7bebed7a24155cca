/** The Node server: files in any S3 store or in a folder, scripts on threads. */
import { extname } from 'node:path'
import type { HttpBindings } from '@hono/node-server'
import { createApp } from '../app.ts'
import { InvalidConfig, parseConfig, together } from '../config.ts'
import { assertStoreResponds } from '../http/health.ts'
import { STORING_GRACE_MS } from '../limits.ts'
import { faultEvent, type LogEvent } from '../operations/log-event.ts'
import { loadLua } from '../vm/load-node.ts'
import { ScriptPool } from '../pool/script-pool.ts'
import { threadsFor } from '../pool/pool-size.ts'
import { startService } from '../operations/start-service.ts'
import { runQueued } from '../operations/runs/run-queued.ts'
import { sweep } from '../operations/sweep/sweep.ts'
import { FairQueue } from './node/fair-queue.ts'
import { folderSite } from './node/folder-site.ts'
import { listen, nodeServer, parseAddress, whenStopped } from './node/server.ts'
import { timedStorage } from '../storage/timed.ts'
import { NodeMetrics } from './node/metrics.ts'
import { nodeService } from './node/service.ts'

/** Has this file's extension: source or bundle. */
const RUNNER = new URL(`./node-runner${extname(import.meta.filename)}`, import.meta.url)
/** Beyond the deadline and storing: waiting for a thread, links, and sending. */
const MARGIN_MS = 30_000
const SWEEP_MS = 3600 * 1000
/** Longer timers fire at once. */
const MAX_TIMER_MS = 2_147_483_647

try {
  await start()
} catch (error) {
  if (!(error instanceof InvalidConfig)) throw error
  console.error(error.message)
  process.exitCode = 1
}

/** @throws {InvalidConfig} */
async function start(): Promise<void> {
  readEnvFile()
  const [config, place] = together(
    () => parseConfig(process.env, { storage: 's3' }),
    () => parseAddress(process.env),
  )
  const lua = await loadLua()
  const metrics = config.metricsKey === undefined ? undefined : new NodeMetrics()
  const observed = (event: LogEvent) => {
    log(event)
    metrics?.onEvent(event)
  }
  const plain = nodeService(config, lua, observed)
  const storage = metrics ? timedStorage(plain.storage, metrics.onStore) : plain.storage
  const service = startService({ ...plain, storage })
  const maxThreads = threadsFor(config.limits)
  const pool = new ScriptPool({
    runner: RUNNER,
    data: { config, lua },
    log: service.log,
    onStore: metrics?.onStore,
    maxThreads,
  })
  const runs: FairQueue = new FairQueue({
    maxRuns: Math.max(1, Math.floor(maxThreads / 2)),
    run: (ref, signal) =>
      runQueued(serving, ref, signal).catch((error: unknown) =>
        log(faultEvent('none', 'queue', error)),
      ),
  })
  const stopping = new AbortController()
  const serving = {
    ...service,
    stopping: stopping.signal,
    executeElsewhere: metrics?.watch(pool.execute) ?? pool.execute,
    runQueue: runs,
  }
  const app = createApp({
    service: serving,
    site: folderSite(),
    addressOf: (c) => (c.env as Partial<HttpBindings>).incoming?.socket.remoteAddress,
    metrics: metrics && { key: config.metricsKey!, text: () => metrics.text() },
  })
  const longestMs = Math.min(config.limits.runMs + STORING_GRACE_MS + MARGIN_MS, MAX_TIMER_MS)
  const { server, drain } = nodeServer(app, longestMs)
  const address = await listen(server, place)
  log({ event: 'listening', address })
  // A fault is reported once; `/health/ready` reports it from then on. The sweep recovers runs that
  // an earlier process left.
  assertStoreResponds(service)
    .then(() => sweep(serving))
    .catch((error: unknown) => log(faultEvent('none', 'start', error)))
  setInterval(() => void sweep(serving), SWEEP_MS).unref()

  // A stray rejection must not end other requests.
  process.on('unhandledRejection', (error) => log(faultEvent('none', 'server', error)))
  const giveUp = () => process.exit(1)
  whenStopped(async () => {
    setTimeout(giveUp, longestMs).unref()
    // Together: requests that watch a run of this process end only when the run does.
    await Promise.all([drain(), runs.close().then(() => stopping.abort())])
    await pool.close()
    await service.storeAudit?.()
    process.exit(0)
  }, giveUp)
}

/** Settings in `.env` of the current folder; the environment comes first. */
function readEnvFile(): void {
  try {
    process.loadEnvFile()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new InvalidConfig('.env', `cannot be read (${code})`)
  }
}

function log(event: LogEvent | { readonly event: 'listening'; readonly address: string }): void {
  console.info(JSON.stringify(event))
}
