/** `moonbucket login`, `logout` and `whoami`. Tokens are never printed. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { moonbucket, MoonbucketError } from '../../client/index.ts'
import { UsageError } from '../../errors.ts'
import type { Terminal } from '../options.ts'
import type { RemoteAction } from './commands.ts'
import { discover, safeAddress, signIn } from './oauth.ts'
import { isTerminal, paint, printJson } from './output.ts'
import {
  DEFAULT_PROFILE,
  readProfiles,
  removeProfile,
  saveProfile,
  type Profile,
} from './profiles.ts'
import { openSession } from './session.ts'

export const login: RemoteAction = async ({ words: [given], values }, terminal, signal) => {
  const url = safeAddress(given!).replace(/\/+$/, '')
  const { profile: named, key, json } = values
  const name = typeof named === 'string' ? named : DEFAULT_PROFILE
  const profile = await credentials(
    url,
    typeof key === 'string' ? key : undefined,
    terminal,
    signal,
  )
  const token = profile.key ?? profile.oauth!.accessToken
  if (!(await isAccepted(url, token, signal))) {
    throw new UsageError('the service does not accept this key; nothing was stored')
  }
  saveProfile(terminal.env, name, profile)
  if (json) printJson(terminal, { profile: name, url })
  else terminal.stdout.write(`Signed in to ${url}.\n`)
  return 0
}

async function credentials(
  url: string,
  given: string | undefined,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Profile> {
  if (given !== undefined) return { url, key: checked(given) }
  const { stdin, stderr } = terminal
  if (!isTerminal(stdin)) {
    const piped = (await text(stdin)).trim()
    if (piped !== '') return { url, key: checked(piped) }
  }
  const resource = await discover(url)
  if (resource) {
    const show = (address: string) =>
      void stderr.write(`Open this address in a browser to sign in:\n\n  ${address}\n\n`)
    return { url, oauth: await signIn(resource, show, signal) }
  }
  if (!isTerminal(stdin)) throw new UsageError('give an API key with --key or on standard input')
  return { url, key: checked(await ask(terminal, signal)) }
}

/** What a header can carry. */
function checked(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new UsageError('the key must be one word of visible characters')
}

/** Without showing what is typed. */
function ask({ stdin, stderr }: Terminal, signal: AbortSignal): Promise<string> {
  stderr.write('API key: ')
  const output = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input: stdin, output, terminal: true })
  return new Promise((resolve, reject) => {
    const stop = () => reject(new UsageError('no key was given'))
    signal.addEventListener('abort', stop)
    lines.once('SIGINT', stop)
    lines.once('close', stop)
    lines.once('line', (line) => resolve(line.trim()))
  }).finally(() => {
    stderr.write('\n')
    lines.close()
  }) as Promise<string>
}

/** A scope that it lacks is no reason to refuse it. */
async function isAccepted(url: string, token: string, signal: AbortSignal): Promise<boolean> {
  try {
    await moonbucket({ url, token }).usage({ signal })
    return true
  } catch (error) {
    if (!(error instanceof MoonbucketError)) throw error
    if (error.status === 401) return false
    if (error.status === 403) return true
    throw error
  }
}

export const logout: RemoteAction = async ({ values }, terminal) => {
  const { current = DEFAULT_PROFILE, profiles } = readProfiles(terminal.env)
  const name = typeof values.profile === 'string' ? values.profile : current
  if (!Object.hasOwn(profiles, name)) throw new UsageError(`there is no profile ${name}`)
  removeProfile(terminal.env, name)
  const { url } = profiles[name]!
  if (values.json) printJson(terminal, { profile: name, url })
  else terminal.stdout.write(`Forgot ${url}.\n`)
  return 0
}

export const whoami: RemoteAction = async ({ values }, terminal, signal) => {
  const { profile } = values
  const {
    client,
    url,
    how,
    profile: name,
  } = openSession(terminal, typeof profile === 'string' ? profile : undefined)
  const accepted = await client.usage({ signal }).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof MoonbucketError) || ![401, 403].includes(error.status)) throw error
      return error.status === 403
    },
  )
  if (values.json) printJson(terminal, { url, profile: name ?? null, how, accepted })
  else {
    const by = { key: 'a key', oauth: 'sign-in', environment: 'MOONBUCKET_TOKEN' }[how]
    const state = accepted ? 'accepted' : paint(terminal, terminal.stdout, 'red', 'not accepted')
    const where = name === undefined ? '' : `, profile ${name}`
    terminal.stdout.write(`${url}${where}, by ${by}: ${state}\n`)
  }
  return accepted ? 0 : 1
}
