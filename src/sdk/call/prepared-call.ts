/** A call whose arguments are checked: ready to be sent, once or page by page. */
import type { ApiCall, ApiFiles } from '../../vm/library/library-host.ts'
import type { ApiInfo, CallEntry, Catalog, ParamEntry } from '../catalog/catalog.ts'
import { findFunction } from '../catalog/help.ts'
import { openParams } from '../catalog/reserved-names.ts'
import { pageRequest, type Page } from '../pages/page-store.ts'
import { refuser } from './api-error.ts'
import { buildRequest, type ApiRequest } from './build-request.ts'
import { checkArguments, checkBody, parseArguments } from './check-arguments.ts'
import { requestBody, type BodyInput } from './request-body.ts'
import type { RunRequests } from './run-requests.ts'
import type { OpenResponse } from './send.ts'

export class PreparedCall {
  readonly name: string
  readonly api: ApiInfo
  readonly entry: CallEntry
  readonly #first: ApiRequest
  readonly #body: BodyInput

  /** @throws {ApiError} `invalid_arguments` */
  constructor(catalog: Catalog, asked: ApiCall) {
    const { api, entry, name } = findFunction(catalog, asked.name)
    const { body: value, ...args } = parseArguments(name, asked.argsJson)
    checkArguments(name, api, entry, { ...args, ...(value !== undefined && { body: value }) })
    checkBody(name, entry.body, asked.body ?? value)
    this.name = name
    this.api = api
    this.entry = entry
    this.#first = buildRequest(name, api, entry, args)
    this.#body = { value, bytes: asked.body }
  }

  /** Those a script may set. */
  get params(): readonly ParamEntry[] {
    return openParams(this.api, this.entry)
  }

  /** @throws {ApiError} `invalid_answer` if no request can be made for the page. */
  assertReachable({ query }: Page): void {
    pageRequest(this.name, this.#first, query, this.api, this.entry)
  }

  /**
   * Sends it, for a page if one is given.
   *
   * @returns the response, and the URL without the credential that may be in its query.
   * @throws {ApiError} {@link LimitReached} and any file read error.
   */
  async open(
    requests: RunRequests,
    files: ApiFiles,
    options: {
      readonly page?: Page | undefined
      readonly contentType?: string | undefined
      readonly signal?: AbortSignal | undefined
    } = {},
  ): Promise<{ readonly url: URL; readonly received: OpenResponse }> {
    const { name, api, entry } = this
    const { page, contentType, signal } = options
    const { method, headers } = this.#first
    // Copies: a credential may be added to the headers and the query.
    const first = { method, url: new URL(this.#first.url), headers: new Headers(headers) }
    const request = page ? pageRequest(name, first, page.query, api, entry) : first
    const url = new URL(request.url)
    const body = entry.body && (await requestBody(name, entry.body, this.#body, contentType, files))
    if (body && (entry.method === 'GET' || entry.method === 'HEAD')) {
      refuser(name)(`${entry.method} cannot have a body`)
    }
    const { isPublic } = entry
    return { url, received: await requests.open(name, api, request, body, { isPublic, signal }) }
  }
}
