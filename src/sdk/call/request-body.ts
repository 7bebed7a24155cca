/** Encodes a request body: JSON, form, multipart or raw bytes. */
import type { ApiFiles } from '../../vm/library/library-host.ts'
import { refuser } from './api-error.ts'
import { isHeaderText, scalar } from './build-request.ts'
import type { BodyEntry } from '../catalog/catalog.ts'
import { stringifyExact } from './exact-json.ts'

/** Multipart content sets its own type. */
export interface RequestBody {
  readonly content: BodyInit
  readonly contentType?: string | undefined
}

/** From the script: a value, or a string's bytes. */
export interface BodyInput {
  readonly value?: unknown
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined
}

/** `{file = "input/photo.png"}` stands for the bytes of a file. */
interface FileReference {
  readonly file: string
}

/** `undefined` if there is nothing to send. @throws {ApiError} and any file read error. */
export async function requestBody(
  name: string,
  entry: BodyEntry,
  { bytes, value }: BodyInput,
  wanted: string | undefined,
  files: ApiFiles,
): Promise<RequestBody | undefined> {
  const contentType = chooseType(name, entry, wanted)
  if (bytes === undefined && value === undefined) return undefined
  const type = essence(contentType)
  if (isJsonType(type)) {
    const content = bytes ? jsonText(name, entry, bytes) : stringifyExact(value)
    return { content, contentType }
  }
  if (bytes) return { content: bytes, contentType }
  if (typeof value !== 'object' || value === null) return { content: String(value), contentType }
  if (type === 'application/x-www-form-urlencoded') return { content: form(value), contentType }
  // FormData chooses the boundary, so fetch sets the type.
  if (type === 'multipart/form-data') return { content: await parts(value, files) }
  if (isFile(value)) return { content: await fileBytes(value, files), contentType }
  return { content: stringifyExact(value), contentType }
}

export function isJsonType(contentType: string): boolean {
  return /^[\w.-]+\/(?:[\w.-]+\+)?json$/.test(essence(contentType))
}

/** The media type without parameters. */
export function essence(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}

function chooseType(name: string, { contentTypes }: BodyEntry, wanted: string | undefined): string {
  const [first = 'application/json'] = contentTypes
  if (wanted === undefined) return first.includes('*') ? 'application/octet-stream' : first
  const isOffered = contentTypes.some((offered) => isWithin(essence(wanted), essence(offered)))
  if (isOffered && isHeaderText(wanted)) return wanted
  return refuser(name)(`content_type must be one of ${contentTypes.join(', ')}`)
}

/** An offered type may be a wildcard such as `image/*`. */
function isWithin(type: string, offered: string): boolean {
  if (!/^[^/*]+\/[^/*]+$/.test(type)) return false
  return offered === '*/*' || offered === type || offered === `${type.split('/', 1)[0]}/*`
}

/** A string is taken as JSON text, unless the API declares a string. @throws {ApiError} */
function jsonText(name: string, { type }: BodyEntry, bytes: Uint8Array): string {
  const text = textOf(name, bytes)
  if (type === 'string') return JSON.stringify(text)
  try {
    JSON.parse(text)
    return text
  } catch {
    return refuser(name)('"body" must be a table or JSON text')
  }
}

function form(value: object): string {
  const pairs = Object.entries(value).flatMap(([key, item]) =>
    (Array.isArray(item) ? item : [item]).map((one: unknown) => [key, scalar(one)]),
  )
  return new URLSearchParams(pairs as string[][]).toString()
}

async function parts(value: object, files: ApiFiles): Promise<FormData> {
  const data = new FormData()
  for (const [key, item] of Object.entries(value)) {
    for (const one of (Array.isArray(item) ? item : [item]) as unknown[]) {
      if (isFile(one)) {
        const fileName = one.file.split('/').at(-1)!
        const content = new Blob([await fileBytes(one, files)])
        data.append(partName(key), content, partName(fileName))
      } else data.append(partName(key), scalar(one))
    }
  }
  return data
}

/** Escaped as browsers do; workerd leaves quotes and line ends, which would end the name. */
function partName(name: string): string {
  return name.replace(/["\r\n]/g, encodeURIComponent)
}

function isFile(value: unknown): value is FileReference {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : []
  return keys.length === 1 && typeof (value as Partial<FileReference>).file === 'string'
}

async function fileBytes({ file }: FileReference, files: ApiFiles) {
  return (await files.read(file)) as Uint8Array<ArrayBuffer>
}

function textOf(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return refuser(name)('"body" is not UTF-8 text')
  }
}
