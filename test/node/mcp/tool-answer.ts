/** What a tool's answer holds: structure or text for a model, and what a person may open. */
import type { CallToolResult } from '@modelcontextprotocol/client'
import { fetchAnew } from '../../support/fetch-anew.ts'
import type { Answer } from '../../support/make-app.ts'
import type { OfficialClient } from './official-clients.ts'

/** In the order they are listed. */
export const TOOL_NAMES = [
  'execute_script',
  'run_saved_script',
  'list_saved_scripts',
  'get_run',
  'list_runs',
  'cancel_run',
  'file_read',
  'document_read',
  'file_write',
  'file_append',
  'folder_list',
  'folder_create',
  'file_copy',
  'file_move',
  'file_delete',
  'file_exists',
  'file_info',
  'file_edit',
  'file_find',
  'file_search',
  'apply_patch',
  'get_file_link',
  'get_upload_link',
  'revoke_links',
  'save_result_page',
]

/** An answer with too many files to name them all says so. */
interface ToolAnswer extends Answer {
  readonly more_files?: { readonly count: number; readonly folder: string; readonly link: string }
}

/** Everything after the text is a link, or the answer is not one of ours. */
export function partsOf({ structuredContent, content, isError = false }: CallToolResult) {
  const [first, ...rest] = content
  if (first?.type !== 'text') throw new Error('no text comes first')
  const links = rest.map((block) => {
    if (block.type !== 'resource_link') throw new Error(`a block of type ${block.type}`)
    return block
  })
  return { answer: structuredContent as unknown as ToolAnswer, text: first.text, links, isError }
}

/** @throws with what the tool said, when the script fails. */
export async function runScript(client: OfficialClient, script: string, args?: unknown) {
  const parts = partsOf(await client.callTool('execute_script', { script, args }))
  if (parts.isError) throw new Error(parts.text)
  return parts
}

/** Opens a link as a browser would, without a token. */
export async function bytesAt(link: string): Promise<Uint8Array> {
  const response = await fetchAnew(link)
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return response.bytes()
}

export async function textAt(link: string): Promise<string> {
  return new TextDecoder().decode(await bytesAt(link))
}
