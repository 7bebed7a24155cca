/** Validates paths from scripts, tools and links; a valid path cannot leave its area. */
import { InvalidPath } from '../errors.ts'

declare const brand: unique symbol

/** Relative, normalized, never empty. Made only by {@link parsePath} and {@link parseFolder}. */
export type VirtualPath = string & { readonly [brand]: 'VirtualPath' }

/** A folder path; `''` is the root. */
export type FolderPath = VirtualPath | ''

/** Additional rules for one caller. */
export interface PathRules {
  /** Lists of prefixes, matched by whole segments: a path must be below one of each list. */
  readonly allowed?: readonly (readonly string[])[] | undefined
  /** A folder of the root whose name is case-insensitive. */
  readonly sharedDir?: string | undefined
}

export const MAX_PATH_BYTES = 512
/** Before normalization, which removes `.` and empty segments; longer input is not parsed. */
const MAX_WRITTEN_LENGTH = 65_536
const TOO_LONG = `path is not valid: longer than ${MAX_PATH_BYTES} bytes` as const

// A byte order mark is part of the name: dropping it would map two names to one file.
const lossyUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const encoder = new TextEncoder()

/**
 * Parses a file path; Lua passes bytes, which may not be UTF-8.
 *
 * @throws {InvalidPath} with one of the messages of {@link PathFault}.
 */
export function parsePath(raw: string | Uint8Array, rules: PathRules = {}): VirtualPath {
  if (raw.length === 0) throw new InvalidPath('path cannot be empty')
  const written = parseSegments(raw)
  const last = written.at(-1)
  if (last === '' || last === '.') throw new InvalidPath('path is not valid: names a folder')
  return join(written, rules) as VirtualPath
}

/**
 * Parses a folder path: `undefined`, `''` and `.` are the root; a trailing slash is dropped.
 *
 * @throws {InvalidPath} like {@link parsePath}; the root passes only where every path is allowed.
 */
export function parseFolder(
  raw: string | Uint8Array | undefined,
  rules: PathRules = {},
): FolderPath {
  return join(parseSegments(raw ?? ''), rules)
}

/** Ancestor folders, outermost first, without the root. */
export function foldersAbove(path: FolderPath): VirtualPath[] {
  const folders: VirtualPath[] = []
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    folders.push(path.slice(0, end) as VirtualPath)
  }
  return folders
}

function parseSegments(raw: string | Uint8Array): string[] {
  if (raw.length > MAX_WRITTEN_LENGTH) throw new InvalidPath(TOO_LONG)
  // ASCII faults survive lossy decoding and take precedence over a bad encoding.
  const text = typeof raw === 'string' ? raw : lossyUtf8.decode(raw)
  if (text.includes('\0')) throw new InvalidPath('path cannot contain null bytes')
  if (text.startsWith('/')) throw new InvalidPath('path must be relative')
  const segments = text.split('/')
  if (segments.includes('..')) throw new InvalidPath("path cannot contain '..' traversal")

  assertUtf8(raw)
  if (/\p{Cc}/u.test(text)) throw new InvalidPath('path is not valid: contains control characters')
  if (text.includes('\\')) throw new InvalidPath('path is not valid: contains a backslash')
  return segments
}

function assertUtf8(raw: string | Uint8Array): void {
  if (typeof raw === 'string') {
    // With the `u` flag, \p{Cs} only matches lone surrogates.
    if (/\p{Cs}/u.test(raw)) throw new InvalidPath('path is not valid: not UTF-8')
    return
  }
  try {
    strictUtf8.decode(raw)
  } catch (cause) {
    throw new InvalidPath('path is not valid: not UTF-8', { cause })
  }
}

function join(written: readonly string[], { allowed = [], sharedDir }: PathRules): FolderPath {
  const segments = canonical(written, sharedDir)
  const path = segments.join('/')
  if (encoder.encode(path).length > MAX_PATH_BYTES) {
    throw new InvalidPath(TOO_LONG)
  }
  const isBelow = (prefix: string) => startsWith(segments, canonical(prefix.split('/'), sharedDir))
  if (!allowed.every((prefixes) => prefixes.some(isBelow))) {
    throw new InvalidPath('path is not allowed')
  }
  return path as FolderPath
}

/** One spelling per path: files are identified by it, in a run and in the store. */
function canonical(written: readonly string[], sharedDir: string | undefined): string[] {
  const [first, ...rest] = written.filter((segment) => segment !== '' && segment !== '.')
  if (first === undefined) return []
  const isShared = first.toLowerCase() === sharedDir?.toLowerCase()
  return [isShared ? sharedDir! : first, ...rest]
}

function startsWith(segments: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((segment, i) => segment === segments[i])
}
