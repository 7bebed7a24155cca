/** Test scripts for upstream fixes: one or more per commit, with the correct outcome. */

export interface FixScript {
  /** The upstream commit, from the file's name: `3fe7be95.lua` or `3fe7be95-freed-stack.lua`. */
  readonly commit: string
  readonly file: string
  readonly script: string
  /** The result with the fix, from the first line: `-- right: …`. */
  readonly right: string
}

const sources = import.meta.glob<string>('../lua/fixes/*.lua', {
  query: '?raw',
  import: 'default',
  eager: true,
})

export const FIX_SCRIPTS: readonly FixScript[] = Object.entries(sources).map(([path, script]) => {
  const file = path.slice(path.lastIndexOf('/') + 1)
  return {
    commit: file.slice(0, 8),
    file,
    script,
    right: /^-- right: (.*)\n/.exec(script)?.[1] ?? '(the first line does not say)',
  }
})
