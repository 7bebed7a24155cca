/** Saved scripts as files: `scripts/<name>.lua` of the caller, or of the shared folder. */
import { AppError } from '../../errors.ts'
import { parsePath, type VirtualPath } from '../../files/path.ts'
import { openCallerFiles, quoted, type CallerFiles } from '../caller-files.ts'
import type { RequestContext } from '../service.ts'
import { describeScript, type ScriptDescription } from './describe-script.ts'

const FOLDER = 'scripts'
const EXTENSION = '.lua'
/** The first byte of compiled Lua. */
const BYTECODE = 0x1b

/** Where saved scripts are, the caller's own first. */
export function scriptFolders({ area: { sharedDir } }: CallerFiles): VirtualPath[] {
  const folders = sharedDir === undefined ? [FOLDER] : [FOLDER, `${sharedDir}/${FOLDER}`]
  return folders.map((folder) => parsePath(folder))
}

/**
 * `reports/daily` is `scripts/reports/daily.lua`, and `share/daily` is `share/scripts/daily.lua`.
 *
 * @throws {InvalidPath} for a name that cannot be part of a path, or that the caller may not use.
 */
export function scriptPath(files: CallerFiles, name: string): VirtualPath {
  const { sharedDir } = files.area
  const parsed = parsePath(name, { sharedDir })
  const isShared = sharedDir !== undefined && parsed.startsWith(`${sharedDir}/`)
  const folder = isShared ? `${sharedDir}/${FOLDER}` : FOLDER
  const own = isShared ? parsed.slice(sharedDir.length + 1) : parsed
  return files.parsePath(`${folder}/${own}${EXTENSION}`)
}

/** `undefined` for a file that is no saved script, or that the caller may not use. */
export function scriptName(files: CallerFiles, path: VirtualPath): string | undefined {
  const [own, shared] = scriptFolders(files)
  const isShared = shared !== undefined && path.startsWith(`${shared}/`)
  if (!path.endsWith(EXTENSION) || (!isShared && !path.startsWith(`${own}/`))) return undefined
  const folder = isShared ? shared : own!
  const inside = path.slice(folder.length + 1, -EXTENSION.length)
  const name = isShared ? `${files.area.sharedDir}/${inside}` : inside
  try {
    return scriptPath(files, name) === path ? name : undefined
  } catch {
    return undefined
  }
}

export interface SavedScript extends ScriptDescription {
  readonly script: string
}

/**
 * @throws {AppError} `not_found`, `conflict` for a folder, `too_large`, or `invalid_request` for
 * anything but text.
 */
export async function readSavedScript(ctx: RequestContext, name: string): Promise<SavedScript> {
  const files = await openCallerFiles(ctx)
  const path = scriptPath(files, name)
  const { scriptBytes } = ctx.service.config.limits
  const tooLarge = (bytes: number) => {
    const message = `${quoted(path)} has ${bytes} bytes; a script has at most ${scriptBytes}.`
    return new AppError('too_large', message)
  }
  // Like a script in the body, it is released when the run reserves its own memory.
  const hold = (bytes: number) => ctx.memory?.holdBody(bytes)
  const file = await files.getWhole(path, scriptBytes, tooLarge, hold)
  if (!file) return refuseMissing(files, path, name)
  return { ...describeScript(file.body, file.bytes), script: sourceOf(file.body, path) }
}

async function refuseMissing(files: CallerFiles, path: VirtualPath, name: string): Promise<never> {
  if ((await files.typeOf(path)) === 'folder') return files.refuseMissing(path)
  const hint = name.endsWith(EXTENSION) ? ` Leave out ${EXTENSION}.` : ''
  const message = `There is no saved script ${quoted(name)}: it would be ${quoted(path)}.${hint}`
  throw new AppError('not_found', message)
}

function sourceOf(bytes: Uint8Array, path: VirtualPath): string {
  if (bytes[0] === BYTECODE) {
    const message = `${quoted(path)} is compiled Lua. Save its source instead.`
    throw new AppError('invalid_request', message)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // As in files that native Lua runs, a first line such as `#!/usr/bin/lua` is a comment.
    return text.startsWith('#') ? `--${text}` : text
  } catch (cause) {
    throw new AppError('invalid_request', `${quoted(path)} is not UTF-8 text.`, { cause })
  }
}
