/** The options table of a call: where to save the response, how to send the body. */
import { ApiError } from './api-error.ts'

export interface CallOptions {
  /** Saves the response body there instead of returning it. */
  readonly saveTo?: string | undefined
  readonly contentType?: string | undefined
}

/** @param page Replaces `{page}` in the path. @throws {ApiError} `invalid_arguments`. */
export function callOptions(name: string, json: string | undefined, page = 1): CallOptions {
  const refuse = (problem: string): never => {
    throw new ApiError('invalid_arguments', `${name}: ${problem}`)
  }
  const given = JSON.parse(json ?? '{}') as Readonly<Record<string, unknown>>
  for (const [option, value] of Object.entries(given)) {
    if (option !== 'save_to' && option !== 'content_type') {
      refuse(`unknown option "${option.slice(0, 100)}"; options are save_to and content_type`)
    }
    if (typeof value !== 'string') refuse(`${option} must be a string`)
  }
  const { save_to: saveTo, content_type: contentType } = given as Record<string, string>
  return { saveTo: saveTo?.replaceAll('{page}', String(page)), contentType }
}
