/** Checks an API's configured credential against what its functions require. */
import type { AuthRule } from '../../../src/sdk/catalog/catalog.ts'
import { adviceFor, authRule, describeScheme, fits } from './auth-rule.ts'
import type { Operation } from './spec/list-operations.ts'
import type { Problems } from './problems.ts'
import { requirementOf, schemesOf, type Scheme } from './security-schemes.ts'
import type { ApiSettings } from './settings.ts'
import type { Spec } from './spec/spec.ts'

/** Fails the build: without the credential, calls would fail later with less to go on. */
export function apiSecurity(
  spec: Spec,
  chosen: readonly Operation[],
  { auth, caller_auth: takesCallerAuth }: ApiSettings,
  at: string,
  settings: Problems,
): AuthRule | undefined {
  const schemes = schemesOf(spec)
  const needed = chosen.flatMap((operation) => {
    const { sets, isPublic } = requirementOf(spec, operation)
    const isOptional = sets.some((set) => set.length === 0)
    return isPublic || sets.length === 0 || isOptional ? [] : [{ operation, sets }]
  })
  const required = new Set(needed.flatMap(({ sets }) => sets.flat()))
  const wanted = [...schemes.filter(({ name }) => required.has(name)), ...schemes].find(
    (scheme) => adviceFor(scheme) !== undefined,
  )
  const rule = authRule({ auth, takesCallerAuth, at }, schemes, wanted, settings)
  if (!auth && !takesCallerAuth) {
    if (needed.length > 0) settings.error(at, missing(needed.length, schemes, required, wanted))
    return undefined
  }
  if (auth && rule) {
    const isServed = (set: readonly string[]) =>
      set.every((name) => schemes.some((scheme) => scheme.name === name && fits(auth, scheme)))
    const [first, ...others] = needed.filter(({ sets }) => !sets.some(isServed))
    if (first) {
      const more = others.length > 0 ? ` and ${others.length} more` : ''
      const names = first.sets.map((set) => set.join(' with ')).join(' or ')
      spec.problems.warn(first.operation.at, `asks for ${names}, which is not configured${more}`)
    }
  }
  return rule
}

function missing(
  count: number,
  schemes: readonly Scheme[],
  required: ReadonlySet<string>,
  wanted: Scheme | undefined,
): string {
  const known = schemes.filter(({ name }) => required.has(name)).map(describeScheme)
  const names = (known.length > 0 ? known : [...required]).join(', ')
  const advice =
    (wanted && adviceFor(wanted)) ?? 'auth = { type = "bearer", secret = "NAME_OF_A_SETTING" }'
  const functions = count === 1 ? 'one function needs' : `${count} functions need`
  return `${functions} a credential (${names}): add ${advice}, or caller_auth = true`
}
