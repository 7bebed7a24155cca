/** `npm run tenant`: exports, imports, deletes or counts everything of a tenant. */
import { randomUUID } from 'node:crypto'
import { InvalidConfig, parseConfig, type Config } from '../../src/config.ts'
import { storageOf } from '../../src/entry/node/storage.ts'
import { tenantPrefix } from '../../src/files/store/area.ts'
import { TenantKeys } from '../../src/operations/keys/key-store.ts'
import { readCommand, run, UsageError } from '../command-line.ts'
import { ExportFolder } from './manifest.ts'
import {
  deleteTenant,
  exportTenant,
  importTenant,
  tenantUsage,
  type Summary,
  type TenantPlace,
} from './tenant-objects.ts'

const HELP = `Exports, imports, deletes or counts everything that is stored for a tenant.

  npm run tenant -- usage TENANT
  npm run tenant -- export TENANT --to FOLDER
  npm run tenant -- import TENANT --from FOLDER [--overwrite]
  npm run tenant -- delete TENANT --yes

  --to FOLDER     files, and manifest.jsonl with their hashes; goes on if it was interrupted
  --from FOLDER   an export, of this tenant or another
  --overwrite     replaces objects that exist and differ
  --yes           deletes; without it, says what would be deleted

The store is that of the settings in the environment or in .env, as of npm start. For R2, set
STORAGE=s3 and the S3_ settings of its S3 API.`

const MAX_PROBLEMS = 20

await run('tenant', async () => {
  const { values, positionals } = readCommand(HELP, {
    to: { type: 'string' },
    from: { type: 'string' },
    overwrite: { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
  })
  const [verb, tenant, ...rest] = positionals
  if (!verb || !tenant || rest.length > 0) {
    throw new UsageError('an action and a tenant are required; --help lists them')
  }
  const config = readConfig()
  const place = await placeOf(tenant, config)
  const keys = await TenantKeys.of({ config, storage: place.storage }, tenant)
  switch (verb) {
    case 'usage':
      return printUsage(place, keys)
    case 'export':
      return finish('exported', await exportTenant(place, folderIn(values.to, '--to'), report))
    case 'import': {
      const folder = folderIn(values.from, '--from')
      if (!folder.exists) throw new UsageError('--from has no manifest.jsonl')
      return finish('imported', await importTenant(place, folder, values.overwrite, report))
    }
    case 'delete': {
      if (values.yes) {
        // First: whoever still has one must not write while files are deleted.
        await deleteKeys(keys)
        return finish('deleted', await deleteTenant(place, report))
      }
      await printUsage(place, keys)
      throw new UsageError('nothing was deleted; add --yes to delete all of this')
    }
    default:
      throw new UsageError(`there is no action ${JSON.stringify(verb)}; --help lists them`)
  }
})

async function placeOf(tenant: string, config: Config): Promise<TenantPlace> {
  return { storage: storageOf(config), prefix: await tenantPrefix(tenant, config.keyPrefix) }
}

/** Only the store matters here. */
function readConfig(): Config {
  try {
    process.loadEnvFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  try {
    const unused = { LINK_SECRET: randomUUID(), AUTH_SECRET: randomUUID() }
    return parseConfig({ ...unused, ...process.env }, { storage: 's3' })
  } catch (error) {
    if (error instanceof InvalidConfig) throw new UsageError(error.message)
    throw error
  }
}

function folderIn(path: string | undefined, option: string): ExportFolder {
  if (!path) throw new UsageError(`${option} is required; --help explains it`)
  return new ExportFolder(path)
}

async function printUsage(place: TenantPlace, keys: TenantKeys): Promise<void> {
  const usage = await tenantUsage(place)
  const total = { objects: 0, bytes: 0 }
  for (const [area, { objects, bytes }] of usage) {
    console.info(`${area}: ${objects} objects, ${bytes} bytes`)
    total.objects += objects
    total.bytes += bytes
  }
  console.info(`total: ${total.objects} objects, ${total.bytes} bytes`)
  let count = 0
  for await (const _ of keys.ids()) count++
  if (count > 0) console.info(`and ${count} API keys`)
}

async function deleteKeys(keys: TenantKeys): Promise<void> {
  let count = 0
  for await (const id of keys.ids()) {
    const record = await keys.get(id)
    if (record) await keys.remove(record)
    count++
  }
  if (count > 0) console.info(`${count} API keys deleted`)
}

function report({ done, skipped }: Summary): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done + skipped} objects`)
}

function finish(what: string, { done, bytes, skipped, problems }: Summary): void {
  if (process.stderr.isTTY) process.stderr.write('\r')
  console.info(`${done} objects, ${bytes} bytes ${what}; ${skipped} were already`)
  for (const problem of problems.slice(0, MAX_PROBLEMS)) console.error(problem)
  if (problems.length > 0) throw new UsageError(`${problems.length} objects were not ${what}`)
}
