/** `run.ts oxlint src`: runs a program that only `npm run check` needs, and installs it before. */
import { spawnSync } from 'node:child_process'
import { delimiter, resolve } from 'node:path'
import { run, UsageError } from '../command-line.ts'
import { installPackages } from '../install-packages.ts'

const FOLDER = import.meta.dirname

await run('check', async () => {
  const [program = '', ...args] = process.argv.slice(2)
  try {
    installPackages(FOLDER, () => console.info('npm ci in infra/check (once, about 65 MB)'))
  } catch (error) {
    throw new UsageError(`npm ci in infra/check failed: ${(error as Error).message}`)
  }
  const programs = resolve(FOLDER, 'node_modules/.bin')
  const { status, error } = spawnSync(resolve(programs, program), args, {
    stdio: 'inherit',
    // oxlint looks there for the program that knows the types.
    env: { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` },
  })
  if (error) throw new UsageError(error.message)
  process.exitCode = status ?? 1
})
