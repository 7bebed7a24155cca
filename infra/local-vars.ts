/** Settings of the service on this machine, in `.dev.vars`: secrets are made on first use. */
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
import { ROOT } from './root.ts'

/** Where wrangler looks too. */
export const DEFAULT_VARS_FILE = resolve(ROOT, '.dev.vars')

const SECRETS = ['AUTH_SECRET', 'LINK_SECRET'] as const
const SECRET_BYTES = 32

/** The settings by name. */
export type LocalVars = Readonly<Record<string, string>> &
  Readonly<Record<(typeof SECRETS)[number], string>>

/** The settings in `file`; secrets it lacks are added to it first, everything else in it stays. */
export function readLocalVars(file = DEFAULT_VARS_FILE): LocalVars {
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    const vars = parseEnv(text ?? '')
    const missing = SECRETS.filter((name) => !vars[name])
    if (missing.length === 0) return vars as LocalVars
    addSecrets(file, text, missing)
  }
}

/** What presigned URLs of the local bucket are signed with; as secret as the secret it is made from. */
export function localS3Secret(vars: LocalVars): string {
  return createHmac('sha256', vars.LINK_SECRET).update('local S3').digest('hex')
}

/** A path as short as it can be written in a command that runs in the repository. */
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
    // Two first uses at once, a server and a token, must end up with the same secret.
    linkSync(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(partial, { force: true })
  }
}
