/**
 * `npm run record:session`: runs the commands of the README's picture in the service of `npm run
 * dev`, and draws `docs/session.svg` from what they print. The port, the id of a run, times and
 * tokens differ each time: `session/play.ts` shows others in their place, always the same.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from './command-line.ts'
import { freePort } from './dev/dev-help.ts'
import { makeLocalSite } from './dev/local-site.ts'
import { readLocalVars, signLocalToken } from './dev/local-vars.ts'
import { HOST, startLocalWorker } from './dev/local-worker.ts'
import { ROOT } from './root.ts'
import { drawSession } from './session/draw.ts'
import { playSession, type Step } from './session/play.ts'

const PICTURE = resolve(ROOT, 'docs/session.svg')

await run('record:session', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-session-'))
  try {
    const steps = await record(folder)
    writeFileSync(PICTURE, drawSession(steps))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.info(`wrote ${PICTURE}`)
})

async function record(folder: string): Promise<Step[]> {
  const [site, home] = [join(folder, 'site'), join(folder, 'home')]
  mkdirSync(home)
  const varsFile = join(folder, '.dev.vars')
  const vars = readLocalVars(varsFile)
  await makeLocalSite(site, vars)
  const port = await freePort('0')
  const origin = `http://${HOST}:${port}`
  const worker = await startLocalWorker({
    port,
    vars,
    varsFile,
    site,
    persist: join(folder, 'state'),
    logLevel: 'error',
    // The commands call no API.
    demoApi: origin,
  })
  try {
    await worker.isListening
    const key = await signLocalToken(vars, { tenant: 'acme', user: 'alice', ttlS: 3600 })
    return await playSession({ origin, key }, home)
  } finally {
    await worker.dispose()
  }
}
