/** Saves a response as a file, without taking it into the VM or into memory. */
import type { ApiResult } from '../../vm/library/library-host.ts'
import type { CallOptions } from '../call/call-options.ts'
import { httpError, isSuccess, jsonResult } from '../call/read-response.ts'
import { essence } from '../call/request-body.ts'
import type { ApiResponse, OpenResponse } from '../call/send.ts'
import { csvFor } from './csv.ts'
import { rowsPath } from './json-rows.ts'
import { JSON_LINES } from './row-lines.ts'
import { fillFile, namingRows, saveFile, type SaveContext } from './saved-file.ts'

/** @throws {ApiError} unless the status is 2xx; then, and if it breaks off, nothing is stored. */
export async function saveResponse(
  context: SaveContext,
  name: string,
  received: OpenResponse,
  { saveTo = '', rows }: CallOptions,
): Promise<ApiResult> {
  const { status, headers } = received
  try {
    if (!isSuccess(received)) throw httpError(name, await received.whole())
    const saved = await namingRows(name, () =>
      saveFile(context, saveTo, async (file) => {
        const format = csvFor(file.path) ?? JSON_LINES
        const taken = rows === undefined ? undefined : { path: rowsPath(rows), format }
        await fillFile(file, received.body(), taken)
        return { path: file.path, bytes: file.bytes }
      }),
    )
    const contentType = essence(headers.get('Content-Type') ?? '')
    return jsonResult({ ...saved, content_type: contentType, status })
  } catch (error) {
    await received.cancel()
    throw error
  }
}

/** A response whose body has been read already. */
export function alreadyRead(response: ApiResponse): OpenResponse {
  return {
    ...response,
    async *body() {
      yield response.bytes
    },
    whole: () => Promise.resolve(response),
    cancel: () => Promise.resolve(),
  }
}
