/** `npm run -s token`: prints a bearer token for the local service. */
import { resolve } from 'node:path'
import { readOptions, run, UsageError } from './command-line.ts'
import { DEFAULT_VARS_FILE, readLocalVars, signLocalToken } from './dev/local-vars.ts'

const HELP = `Prints a token for the local service.

  npm run -s token -- --tenant acme --user alice

  --tenant NAME     the tenant; required
  --user NAME       the claim "sub"; without it the caller has no area of their own
  --scope SCOPES    some of "execute files:read files:write admin"; default: the service's default
  --ttl SECONDS     lifetime, 3600 by default; negative for an expired token
  --claim NAME=VALUE  an additional claim; may be repeated; VALUE is JSON, or else text
  --vars FILE       settings and secrets of the service; default .dev.vars`

await run('token', async () => {
  const options = readOptions(HELP, {
    tenant: { type: 'string' },
    user: { type: 'string' },
    scope: { type: 'string' },
    ttl: { type: 'string', default: '3600' },
    claim: { type: 'string', multiple: true, default: [] },
    vars: { type: 'string', default: DEFAULT_VARS_FILE },
  })
  if (!options.tenant) throw new UsageError('--tenant is required; --help lists the options')
  if (!/^-?\d{1,12}$/.test(options.ttl)) throw new UsageError('--ttl must be a number of seconds')
  const claims = Object.fromEntries(options.claim.map(parseClaim))
  const vars = readLocalVars(resolve(options.vars))
  const { tenant, user, scope, ttl } = options
  console.info(await signLocalToken(vars, { tenant, user, scope, ttlS: Number(ttl), claims }))
})

function parseClaim(claim: string): [string, unknown] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(claim) ?? []
  if (name === undefined || value === undefined) {
    throw new UsageError(`--claim must be NAME=VALUE, not ${JSON.stringify(claim)}`)
  }
  try {
    return [name, JSON.parse(value)]
  } catch {
    return [name, value]
  }
}
