/** Names that browsers send with files, as names in one folder. */
import { AppError, InvalidPath } from '../errors.ts'
import {
  MAX_PATH_BYTES,
  parsePath,
  type FolderPath,
  type PathRules,
  type VirtualPath,
} from './path.ts'

/** Of a name on disk. */
const MAX_NAME_BYTES = 255
/** Room for some letters, a number and an ending. */
const MIN_NAME_BYTES = 32
/** With them `fdp.exe` passes for `exe.pdf`. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

const encoder = new TextEncoder()

/**
 * What follows the last slash or backslash, composed (NFC), without marks that change the direction
 * of writing and without spaces around it. Leading dots, which hide a file, become underscores.
 *
 * @throws {AppError} `invalid_path` for an empty name.
 */
export function cleanName(raw: string): string {
  const last = raw.slice(Math.max(raw.lastIndexOf('/'), raw.lastIndexOf('\\')) + 1)
  const name = last.normalize('NFC').replaceAll(DIRECTION_MARKS, '').trim()
  if (name === '') throw new AppError('invalid_path', 'The file has no name. Give it one first.')
  // Refused below, not renamed.
  if (name === '.' || name === '..') return name
  return name.replace(/^\.+/, (dots) => '_'.repeat(dots.length))
}

/**
 * The path of a file in the folder. A name too long is cut before its ending.
 *
 * @param name From {@link cleanName}.
 * @param number From 2 on it is added: ` (2)`.
 * @throws {AppError} `invalid_path` with a sentence for people.
 */
export function droppedPath(
  folder: FolderPath,
  name: string,
  number: number,
  rules: PathRules,
): VirtualPath {
  const start = folder === '' ? '' : `${folder}/`
  const maxBytes = Math.min(MAX_NAME_BYTES, MAX_PATH_BYTES - encoder.encode(start).length)
  if (maxBytes < MIN_NAME_BYTES) {
    throw new AppError('invalid_path', 'The path of the folder is too long for files in it.')
  }
  try {
    return parsePath(start + numbered(name, number, maxBytes), rules)
  } catch (error) {
    if (!(error instanceof InvalidPath)) throw error
    throw new AppError('invalid_path', `The file cannot have this name: ${error.message}.`)
  }
}

function numbered(name: string, number: number, maxBytes: number): string {
  const [ending = ''] = /(?<=.)\.[^.\s]{1,8}$/u.exec(name) ?? []
  const stem = name.slice(0, name.length - ending.length)
  const rest = (number > 1 ? ` (${number})` : '') + ending
  const room = new Uint8Array(maxBytes - encoder.encode(rest).length)
  // Reads whole characters only.
  return stem.slice(0, encoder.encodeInto(stem, room).read) + rest
}
