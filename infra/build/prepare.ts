/** `npm run prepare:build`: generates what sources import but git does not hold; cached. */
import { buildApis, buildDemo } from './apis/build.ts'
import { BuildFailed } from './apis/problems.ts'
import { buildSite } from './site/build.ts'
import { buildLua } from './lua/build.ts'
import { run, UsageError } from '../command-line.ts'

/** Builds `lua.wasm`, the API catalog and the site if their inputs changed. @throws {BuildFailed} */
export async function prepare(): Promise<void> {
  await buildLua()
  buildApis()
  buildDemo()
  await buildSite()
}

if (process.argv[1] === import.meta.filename) {
  await run('prepare:build', async () => {
    try {
      await prepare()
    } catch (error) {
      throw error instanceof BuildFailed ? new UsageError(error.message) : error
    }
  })
}
