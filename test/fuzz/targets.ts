/** All fuzz targets by name. */
import type { Target } from './target.ts'

/**
 * Loaded only when asked for: every VM that is thrown away is collected, and that takes the longer the more
 * a process holds.
 */
const LOADERS: Readonly<Record<string, () => Promise<Target>>> = {
  paths: async () => (await import('./paths.ts')).paths,
  keys: async () => (await import('./keys.ts')).keys,
  jwts: async () => (await import('./tokens.ts')).jwts,
  links: async () => (await import('./tokens.ts')).links,
  requests: async () => (await import('./requests.ts')).requests,
  json: async () => (await import('./json.ts')).json,
  files: async () => (await import('./files.ts')).files,
  programs: async () => (await import('./programs.ts')).programs,
}

export const TARGET_NAMES = Object.keys(LOADERS)

/** @param name One of {@link TARGET_NAMES}. */
export function loadTarget(name: string): Promise<Target> {
  return LOADERS[name]!()
}
