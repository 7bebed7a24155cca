/** `npm run prepare:build`: what is not in the repository and all the rest loads. Takes no time when nothing changed. */
import { buildApis } from '../src/sdk/compile/build.ts'
import { BuildFailed } from '../src/sdk/compile/problems.ts'
import { buildSite } from '../src/site/build.ts'
import { buildLua } from '../src/vm/build/build.ts'
import { run, UsageError } from './command-line.ts'

/** Makes the VM's module, the catalog of APIs and the site. @throws {BuildFailed} */
export async function prepare(): Promise<void> {
  await buildLua()
  buildApis()
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
