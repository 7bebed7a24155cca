/** Path templates: a plain `{name}` per parameter, and nothing that leaves the base URL. */

export interface PathTemplate {
  readonly path: string
  /** Unique, in order. */
  readonly placeholders: readonly string[]
  /** Query pairs written into the path, sent with every call. */
  readonly fixedQuery: readonly (readonly [name: string, value: string])[]
}

/**
 * @param declared The operation's path parameters.
 *
 * @returns A problem, if the path cannot be called.
 */
export function readPath(raw: string, declared: ReadonlySet<string>): PathTemplate | string {
  const [withQuery = '', fragment = ''] = raw.split(/#(.*)/s)
  const [rawPath = '', query = ''] = withQuery.split(/\?(.*)/s)
  if (fragment.includes('/')) return 'has a "#" within it'
  if (query.includes('{')) return 'has parameters in its query, which belong to "parameters"'
  if (/[\\\p{Cc}]/u.test(rawPath)) return 'has characters not allowed in a URL'
  const placeholders = new Set<string>()
  const path = rawPath.replace(/\{([^{}]+)\}/g, (_, written: string) => {
    const name = declared.has(written) ? written : bare(written, declared)
    placeholders.add(name)
    return `{${name}}`
  })
  const hasSteps = path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (hasSteps) return 'has "." or ".." between its slashes'
  const fixedQuery = [...new URLSearchParams(query)]
  return { path, placeholders: [...placeholders], fixedQuery }
}

/** Some specifications write `{+name}`, `{name*}` or `{name:.*}`. */
function bare(written: string, declared: ReadonlySet<string>): string {
  const name = written.replace(/^[+/.;?&#]|[*+]$/g, '').replace(/:.*$/s, '')
  return declared.has(name) ? name : written
}
