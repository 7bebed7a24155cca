/** An app with helpers for file operations over HTTP. */
import { expect } from 'vitest'
import { FILE_OPERATIONS } from './operations.ts'
import { makeApp, type Claims, type MakeAppOptions } from './make-app.ts'

/** The envelope and the HTTP status. */
export interface FsAnswer {
  readonly status: number
  readonly success: boolean
  readonly data: unknown
  readonly error: string | null
}

export async function makeFs(options: MakeAppOptions = {}) {
  const made = await makeApp(options)
  const { send } = made

  /** Returns any response, checked against the operation's schema. */
  async function ask(operation: string, input: unknown, claims: Claims = {}): Promise<FsAnswer> {
    const body = typeof input === 'string' ? input : JSON.stringify(input)
    const response = await send(`/fs/${operation}`, { method: 'POST', body }, claims)
    const { metadata, ...answer } = (await response.json()) as Omit<FsAnswer, 'status'> & {
      metadata: unknown
    }
    expect(metadata).toEqual({ operation, request_id: response.headers.get('X-Request-Id') })
    const { output } = FILE_OPERATIONS.find(({ name }) => name === operation)!
    if (answer.success) output().parse(answer.data)
    return { status: response.status, ...answer }
  }

  /** Returns the data of a successful operation. */
  async function fs<T = Record<string, unknown>>(
    operation: string,
    input: object,
    claims: Claims = {},
  ): Promise<T> {
    const { status, success, data, error } = await ask(operation, input, claims)
    expect({ status, success, error }).toEqual({ status: 200, success: true, error: null })
    return data as T
  }

  /** Returns status and message of a failed operation. */
  async function refusal(
    operation: string,
    input: unknown,
    claims: Claims = {},
  ): Promise<[number, string | null]> {
    const { status, success, data, error } = await ask(operation, input, claims)
    expect({ success, data }).toEqual({ success: false, data: null })
    return [status, error]
  }

  const content = (path: string, init: Parameters<typeof send>[1] = {}, claims: Claims = {}) =>
    send(`/fs/content?path=${encodeURIComponent(path)}`, init, claims)

  return { ...made, ask, fs, refusal, content }
}
