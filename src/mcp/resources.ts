/** A caller's files as resources, which hosts let people pick from and attach. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ListResourcesResult,
  type ReadResourceResult,
} from '@modelcontextprotocol/server'
import { AppError } from '../errors.ts'
import { contentTypeOf } from '../files/content-type.ts'
import { openCallerFiles } from '../operations/caller-files.ts'
import { checkInput } from '../operations/check-input.ts'
import { textOf } from '../operations/file-encoding.ts'
import { listFolder } from '../operations/list-folder.ts'
import type { RequestContext } from '../operations/service.ts'

/** No host or tenant in it: a path means the files of whoever asks. */
const ROOT = 'moonbucket:///'
const PAGE_ENTRIES = 100

/** For hosts that fill in paths by themselves. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${ROOT}{+path}`,
    name: 'file',
    title: 'File',
    description: 'One of your files by its path, such as output/rows.csv.',
  },
]

/** Every file of the caller, folder by folder; a page may hold fewer than another. */
export async function listResources(
  ctx: RequestContext,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const asked = { recursive: true, limit: PAGE_ENTRIES, cursor }
  const page = await listFolder.run(ctx, checkInput(asked, listFolder.input))
  const files = page.entries.filter(({ type }) => type === 'file')
  return {
    resources: files.map(({ path, bytes, modified_at }) => ({
      uri: ROOT + path.split('/').map(encodeURIComponent).join('/'),
      name: path,
      mimeType: contentTypeOf(path),
      ...(bytes !== null && { size: bytes }),
      ...(modified_at !== null && { annotations: { lastModified: modified_at } }),
    })),
    ...(page.cursor !== null && { nextCursor: page.cursor }),
  }
}

/** Text where the bytes are text, base64 otherwise. */
export async function readResource(ctx: RequestContext, uri: string): Promise<ReadResourceResult> {
  const { maxFileBytes } = ctx.service.config
  const files = await openCallerFiles(ctx)
  const path = files.parsePath(pathOf(uri))
  const file = await files.getWhole(path, maxFileBytes, (bytes) => {
    const message = `This file has ${bytes} bytes, more than the ${maxFileBytes} that are read at once. Use file_read with offset and length, or get_file_link.`
    return new AppError('too_large', message)
  })
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
    // Not percent-encoded text: no address of ours, as any other.
  }
  const message = `Not the address of a file here. It has to look like ${ROOT}output/rows.csv`
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri })
}

function textIfUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
