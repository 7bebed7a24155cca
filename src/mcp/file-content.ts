/** Builds the resource link of a file, which hosts show as something to open. */
import type { ResourceLink } from '@modelcontextprotocol/server'
import { contentTypeOf } from '../files/content-type.ts'

/** @param uri Opens the file without a token. */
export function resourceLink(uri: string, path: string, bytes?: number): ResourceLink {
  const isFolder = bytes === undefined
  return {
    type: 'resource_link',
    uri,
    name: path,
    ...(!isFolder && { mimeType: contentTypeOf(path), size: bytes }),
  }
}
