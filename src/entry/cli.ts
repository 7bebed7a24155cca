/** The `moonbucket` command: runs scripts locally with a folder as the store. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../cli/command.ts'
import { UsageError } from '../errors.ts'
import type { CatalogTexts } from '../sdk/catalog/catalog.ts'

const { stdin, stdout, stderr } = process

for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as in `moonbucket run rows.lua | head`.
    if (error.code !== 'EPIPE') throw error
  })
}

const folder = process.cwd()
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'moonbucket')

/** Loaded only where there are APIs to compile. */
async function compileApis(file: string): Promise<CatalogTexts> {
  const { cachedCatalog } = await import('../../infra/build/apis/cached-catalog.ts')
  const say = (line: string) => stderr.write(`moonbucket: ${line}\n`)
  try {
    return cachedCatalog(join(folder, file), file, cache, say)
  } catch (error) {
    if ((error as Error).name !== 'BuildFailed') throw error
    throw new UsageError((error as Error).message)
  }
}

const terminal = { folder, stdin, stdout, stderr, signals: process, env: process.env, compileApis }
process.exitCode = await runCommand(process.argv.slice(2), terminal)
