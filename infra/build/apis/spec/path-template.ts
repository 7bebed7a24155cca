/** A path as it is called: with a plain `{name}` for each parameter and nothing that leads elsewhere. */

/** A path that can be called. */
export interface PathTemplate {
  readonly path: string
  /** Names of parameters, each once, in order. */
  readonly placeholders: readonly string[]
  /** Pairs that were written into the path, to be sent with every call. */
  readonly fixedQuery: readonly (readonly [name: string, value: string])[]
}

/**
 * A path cannot be called when it would leave the API's own address.
 *
 * @param declared Names of the path parameters that the operation has.
 * @returns What is wrong with it, where it cannot be called.
 */
export function readPath(raw: string, declared: ReadonlySet<string>): PathTemplate | string {
  const [withQuery = '', fragment = ''] = raw.split(/#(.*)/s)
  const [before = '', query = ''] = withQuery.split(/\?(.*)/s)
  if (fragment.includes('/')) return 'has a "#" within it'
  if (query.includes('{')) return 'has parameters in its query, which belong to "parameters"'
  if (/[\\\p{Cc}]/u.test(before)) return 'has characters that no address has'
  const placeholders = new Set<string>()
  const path = before.replace(/\{([^{}]+)\}/g, (_, written: string) => {
    const name = declared.has(written) ? written : bare(written, declared)
    placeholders.add(name)
    return `{${name}}`
  })
  const hasSteps = path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (hasSteps) return 'has "." or ".." between its slashes'
  const fixedQuery = [...new URLSearchParams(query)]
  return { path, placeholders: [...placeholders], fixedQuery }
}

/** Some write `{+name}`, `{name*}` or `{name:.*}`. */
function bare(written: string, declared: ReadonlySet<string>): string {
  const name = written.replace(/^[+/.;?&#]|[*+]$/g, '').replace(/:.*$/s, '')
  return declared.has(name) ? name : written
}
