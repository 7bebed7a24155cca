/** The options of a call: the second table of a script. */
import type { ApiCall } from '../../vm/library/library-host.ts'
import { refuser } from './api-error.ts'
import { quoteName } from '../catalog/names.ts'

const OPTIONS = {
  call: ['save_to', 'rows', 'content_type'],
  dump: ['save_to', 'rows', 'columns', 'next', 'content_type'],
  download: ['save_to', 'rows'],
} as const

const MAX_COLUMNS = 1000

export interface CallOptions {
  /** Saves the response body there instead of returning it. */
  readonly saveTo?: string | undefined
  /** The array that is saved, as in `data.items`. */
  readonly rows?: string | undefined
  readonly contentType?: string | undefined
  readonly columns?: readonly string[] | undefined
  readonly next?: string | undefined
}

/** @param page Replaces `{page}` in the path. @throws {ApiError} `invalid_arguments`. */
export function callOptions(
  name: string,
  { kind = 'call', optionsJson }: ApiCall,
  page = 1,
): CallOptions {
  const refuse: ReturnType<typeof refuser> = refuser(name)
  const given = JSON.parse(optionsJson ?? '{}') as Readonly<Record<string, unknown>>
  const known: readonly string[] = OPTIONS[kind]
  for (const [option, value] of Object.entries(given)) {
    if (!known.includes(option)) {
      const options = `${known.slice(0, -1).join(', ')} and ${known.at(-1)}`
      refuse(`unknown option ${quoteName(option)}; options are ${options}`)
    }
    if (option === 'columns' ? !isNames(value) : typeof value !== 'string') {
      refuse(`${option} must be ${option === 'columns' ? 'a list of different names' : 'a string'}`)
    }
  }
  const { save_to: saveTo, rows, content_type: contentType, next } = given as Record<string, string>
  if (saveTo === undefined && kind !== 'call') refuse('save_to is required')
  if (saveTo === undefined && rows !== undefined) refuse('rows needs save_to')
  return {
    saveTo: kind === 'call' ? saveTo?.replaceAll('{page}', String(page)) : saveTo,
    rows,
    contentType,
    columns: given.columns as readonly string[] | undefined,
    next,
  }
}

function isNames(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_COLUMNS) return false
  return value.every((name) => typeof name === 'string') && new Set(value).size === value.length
}
