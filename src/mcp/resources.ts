/** Exposes a caller's files as MCP resources, for hosts to browse and attach. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ListResourcesResult,
  type ReadResourceResult,
} from '@modelcontextprotocol/server'
import { assertScopes } from '../caller.ts'
import { AppError } from '../errors.ts'
import { contentTypeOf } from '../files/content-type.ts'
import { isUtf8 } from '../lib/utf8.ts'
import { openCallerFiles } from '../operations/caller-files.ts'
import { textOf } from '../operations/files/file-encoding.ts'
import { listEntries } from '../operations/files/list-files.ts'
import { LongText } from '../operations/files/long-text.ts'
import { TEXT_COPIES } from '../operations/memory/request-memory.ts'
import type { RequestContext } from '../operations/service.ts'

/** No host or tenant: paths are relative to the caller's own files. */
const ROOT = 'moonbucket:///'
const PAGE_ENTRIES = 100
const ABSENT = new Set(['conflict', 'invalid_path', 'not_found'])

/** For hosts that complete paths themselves. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${ROOT}{+path}`,
    name: 'file',
    title: 'File',
    description: 'One of your files by its path, such as output/rows.csv.',
  },
]

/** All files of the caller, folder by folder; pages vary in size and may be empty. */
export async function listResources(
  ctx: RequestContext,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const roots = ctx.caller.paths ?? ctx.service.config.allowedPaths ?? [undefined]
  const { root, inner } = parseCursor(cursor, roots.length)
  const page = await listRoot(ctx, roots[root], inner)
  const files = page.entries.filter(({ type }) => type === 'file')
  const nextCursor = page.cursor === null ? endOfRoot(root, roots.length) : `${root}:${page.cursor}`
  return {
    resources: files.map(({ path, bytes, modified_at }) => ({
      uri: ROOT + path.split('/').map(encodeURIComponent).join('/'),
      name: path,
      mimeType: contentTypeOf(path),
      ...(bytes !== null && { size: bytes }),
      ...(modified_at !== null && { annotations: { lastModified: modified_at } }),
    })),
    ...(nextCursor !== undefined && { nextCursor }),
  }
}

/** Callers limited to some folders have several roots; a missing root, or a file, is empty. */
async function listRoot(ctx: RequestContext, path: string | undefined, cursor: string | undefined) {
  try {
    return await listEntries.run(ctx, { path, recursive: true, limit: PAGE_ENTRIES, cursor })
  } catch (error) {
    const isAbsent = error instanceof AppError && ABSENT.has(error.code)
    if (path === undefined || cursor !== undefined || !isAbsent) throw error
    return { entries: [], cursor: null }
  }
}

/** The root and the position in it. @throws {AppError} for an unknown cursor. */
function parseCursor(cursor: string | undefined, roots: number) {
  if (cursor === undefined) return { root: 0, inner: undefined }
  const [, root, inner] = /^(\d{1,3}):(.*)$/s.exec(cursor) ?? []
  if (root === undefined || Number(root) >= roots) {
    throw new AppError(
      'invalid_request',
      'cursor: does not belong to this folder. Leave it out to begin again.',
    )
  }
  return { root: Number(root), inner: inner || undefined }
}

function endOfRoot(root: number, roots: number): string | undefined {
  return root + 1 < roots ? `${root + 1}:` : undefined
}

/** Text if the bytes are UTF-8 with few control characters, base64 otherwise. */
export async function readResource(ctx: RequestContext, uri: string): Promise<ReadResourceResult> {
  assertScopes(ctx.caller, ['files:read'])
  const { maxFileBytes } = ctx.service.config
  const files = await openCallerFiles(ctx)
  const path = files.parsePath(pathOf(uri))
  const tooLarge = (bytes: number) => {
    const message = `This file has ${bytes} bytes, more than the ${maxFileBytes} that can be read at once. Use file_read with offset and length, or get_file_link.`
    return new AppError('too_large', message)
  }
  const file = await files.getWhole(path, maxFileBytes, tooLarge, (bytes) =>
    ctx.memory?.holdFile(bytes, TEXT_COPIES),
  )
  if (!file) throw new ResourceNotFoundError(uri)
  const about = { uri, mimeType: contentTypeOf(path) }
  const text = textIfUtf8(file.body)
  return {
    contents: [
      text === undefined ? { ...about, blob: textOf(file.body, 'base64') } : { ...about, text },
    ],
  }
}

function pathOf(uri: string): string {
  try {
    if (uri.startsWith(ROOT)) return decodeURIComponent(uri.slice(ROOT.length))
  } catch {
    // Invalid percent-encoding: rejected below like any other URI.
  }
  const message = `Not a file of this service. The address must look like ${ROOT}output/rows.csv`
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri })
}

function textIfUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined
  const content = new LongText(bytes, 'utf-8')
  // As escapes, control characters take six times their size.
  return content.jsonBytes() <= 2 * bytes.length ? content.toJSON() : undefined
}
