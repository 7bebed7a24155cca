/** Services that a person has signed in to: a file in the config folder that only its owner reads. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { UsageError } from '../../errors.ts'

const oauthSchema = z.object({
  clientId: z.string(),
  tokenEndpoint: z.string(),
  resource: z.string(),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** Milliseconds since 1970. */
  expiresAt: z.number().optional(),
})

const profileSchema = z.object({
  url: z.string(),
  key: z.string().optional(),
  oauth: oauthSchema.optional(),
})

const fileSchema = z.object({
  current: z.string().optional(),
  profiles: z.record(z.string(), profileSchema),
})

export type OAuthTokens = z.output<typeof oauthSchema>
export type Profile = z.output<typeof profileSchema>
export type Profiles = z.output<typeof fileSchema>

export const DEFAULT_PROFILE = 'default'

type Env = NodeJS.Dict<string>

function fileOf(env: Env): string {
  const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config')
  return join(config, 'moonbucket', 'profiles.json')
}

/** @throws {UsageError} */
export function readProfiles(env: Env): Profiles {
  const file = fileOf(env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { profiles: {} }
    throw new UsageError(`${file} cannot be read (${code})`)
  }
  try {
    return fileSchema.parse(JSON.parse(text))
  } catch {
    throw new UsageError(`${file} is not valid; delete it and sign in again`)
  }
}

/** Written anew and renamed, so that nobody sees half of it. */
function writeProfiles(env: Env, profiles: Profiles): void {
  const file = fileOf(env)
  const fresh = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(fresh, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
    // The mode counts only for a new file.
    chmodSync(fresh, 0o600)
    renameSync(fresh, file)
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Read again just before: another command may have written meanwhile. */
export function saveProfile(env: Env, name: string, profile: Profile): void {
  const { profiles } = readProfiles(env)
  writeProfiles(env, { current: name, profiles: { ...profiles, [name]: profile } })
}

export function removeProfile(env: Env, name: string): void {
  const { current, profiles } = readProfiles(env)
  const { [name]: _, ...rest } = profiles
  const next = current === name ? Object.keys(rest)[0] : current
  writeProfiles(env, { ...(next !== undefined && { current: next }), profiles: rest })
}
