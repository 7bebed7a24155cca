/** The local site, with a token so that the workbench works at once. */
import { chmodSync, mkdirSync, watchFile } from 'node:fs'
import { SCOPES } from '../../src/caller.ts'
import { buildSite, SITE_FOLDER, SITE_STAMP } from '../build/site/build.ts'
import { syncFolder } from '../build/site/sync-folder.ts'
import { signLocalToken, type LocalVars } from './local-vars.ts'

/** As in the README, so that the workbench shows the files of its commands. */
const TUTORIAL = { tenant: 'acme', user: 'alice' }
const TTL_S = 7 * 24 * 3600
const POLL_MS = 500

/**
 * Makes a folder that is never deployed: a synced copy of the site and a token. Returns a function
 * that re-signs the token for new settings.
 */
export async function makeLocalSite(
  folder: string,
  vars: LocalVars,
): Promise<(vars: LocalVars) => Promise<void>> {
  await buildSite()
  mkdirSync(folder, { recursive: true })
  // As secret as the settings file.
  chmodSync(folder, 0o700)
  let token = ''
  const copy = () =>
    syncFolder(SITE_FOLDER, folder, { 'local-token.json': JSON.stringify({ token }) })
  const sign = async (settings: LocalVars) => {
    const scope = SCOPES.join(' ')
    token = await signLocalToken(settings, { ...TUTORIAL, scope, ttlS: TTL_S })
    copy()
  }
  await sign(vars)
  watchFile(SITE_STAMP, { interval: POLL_MS, persistent: false }, copy)
  return sign
}
