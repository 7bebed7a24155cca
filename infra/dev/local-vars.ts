/** Local settings in `.dev.vars`: secrets, generated on first use, and tokens signed with them. */
import { createHmac, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { SignJWT, type JWTPayload } from 'jose'
import { ROOT } from '../root.ts'

/** Wrangler reads it too. */
export const DEFAULT_VARS_FILE = resolve(ROOT, '.dev.vars')

const SECRETS = ['AUTH_SECRET', 'LINK_SECRET'] as const
const SECRET_BYTES = 32

export type LocalVars = Readonly<Record<string, string>> &
  Readonly<Record<(typeof SECRETS)[number], string>>

/** Reads `file`; adds missing secrets to it first. */
export function readLocalVars(file = DEFAULT_VARS_FILE): LocalVars {
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    const vars = parseEnv(text ?? '')
    const missing = SECRETS.filter((name) => !vars[name])
    if (missing.length === 0) return vars as LocalVars
    addSecrets(file, text, missing)
  }
}

/** Signs presigned URLs of the local bucket; derived from the link secret. */
export function localS3Secret(vars: LocalVars): string {
  return createHmac('sha256', vars.LINK_SECRET).update('local S3').digest('hex')
}

/** A path relative to the repository. */
export function fromRoot(path: string): string {
  const short = relative(ROOT, path)
  return short.startsWith('..') ? path : short
}

function addSecrets(file: string, text: string | undefined, names: readonly string[]): void {
  const before =
    text === undefined || text === '' || text.endsWith('\n') ? (text ?? '') : `${text}\n`
  const lines = names.map((name) => `${name}=${randomBytes(SECRET_BYTES).toString('base64url')}\n`)
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, before + lines.join(''), { mode: 0o600 })
  chmodSync(partial, 0o600)
  if (text !== undefined) return renameSync(partial, file)
  try {
    // Atomic: a server and a token command may both create it.
    linkSync(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(partial, { force: true })
  }
}

interface LocalTokenOptions {
  readonly tenant: string
  readonly user?: string | undefined
  /** Default: the service's default scopes. */
  readonly scope?: string | undefined
  /** Negative for an expired token. */
  readonly ttlS: number
  /** Extra claims; they override. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** @param vars The service's settings. */
export function signLocalToken(vars: LocalVars, options: LocalTokenOptions): Promise<string> {
  const { tenant, user, scope, ttlS, claims } = options
  const issuedAt = Math.floor(Date.now() / 1000)
  const payload: JWTPayload = {
    [vars.AUTH_TENANT_CLAIM || 'tenant']: tenant,
    ...(user && { sub: user }),
    ...(scope !== undefined && { scope }),
    ...(vars.AUTH_ISSUER && { iss: vars.AUTH_ISSUER }),
    ...(vars.AUTH_AUDIENCE && { aud: vars.AUTH_AUDIENCE }),
    iat: issuedAt,
    exp: issuedAt + ttlS,
    ...claims,
  }
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(vars.AUTH_SECRET))
}
