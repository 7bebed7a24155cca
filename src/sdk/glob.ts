/** Names that operators choose by pattern: `*` for any letters, `?` for one. */
export function matchesGlob(pattern: string, name: string): boolean {
  const parts = pattern.split(/([*?])/).map((part) => {
    if (part === '*') return '.*'
    return part === '?' ? '.' : part.replace(/[\\^$.|+()[\]{}]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`, 's').test(name)
}
