/** The client of the profile that a command uses. */
import { moonbucket, type Moonbucket } from '../../client/index.ts'
import { UsageError } from '../../errors.ts'
import type { Terminal } from '../options.ts'
import { refresh, safeAddress } from './oauth.ts'
import { DEFAULT_PROFILE, readProfiles, saveProfile, type Profile } from './profiles.ts'

export interface Session {
  readonly client: Moonbucket
  /** Absent for a token of the environment. */
  readonly profile?: string
  readonly url: string
  readonly how: 'key' | 'oauth' | 'environment'
}

/** Refreshed a little early: the request takes time, and clocks differ. */
const EARLY_MS = 30_000

/** @param wanted The profile; by default the one used last. @throws {UsageError} */
export function openSession({ env }: Terminal, wanted?: string): Session {
  const { MOONBUCKET_URL: url, MOONBUCKET_TOKEN: token } = env
  if (wanted === undefined && url && token) {
    return { client: moonbucket({ url: safeAddress(url), token }), url, how: 'environment' }
  }
  const { profiles, current = DEFAULT_PROFILE } = readProfiles(env)
  const name = wanted ?? env.MOONBUCKET_PROFILE ?? current
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!profile) {
    const problem = wanted === undefined ? 'nobody is signed in' : `there is no profile ${name}`
    throw new UsageError(`${problem}; see moonbucket login --help`)
  }
  return {
    client: moonbucket({ url: profile.url, token: tokenSource(env, name, profile) }),
    profile: name,
    url: profile.url,
    how: profile.key === undefined ? 'oauth' : 'key',
  }
}

function tokenSource(env: NodeJS.Dict<string>, name: string, { url, key, oauth }: Profile) {
  if (key !== undefined) return key
  if (!oauth) throw new UsageError(`the profile ${name} has no key; sign in again`)
  let tokens = oauth
  let refreshing: Promise<string> | undefined
  const renew = async () => {
    tokens = await refresh(tokens)
    saveProfile(env, name, { url, oauth: tokens })
    return tokens.accessToken
  }
  return async (refused?: string): Promise<string> => {
    const isOver = tokens.expiresAt !== undefined && tokens.expiresAt < Date.now() + EARLY_MS
    if (!isOver && refused !== tokens.accessToken) return tokens.accessToken
    if (tokens.refreshToken === undefined && !isOver) return tokens.accessToken
    // A refresh token may be used once: requests at the same time share the new one.
    refreshing ??= renew().finally(() => (refreshing = undefined))
    return refreshing
  }
}
