/** The pages that a run can ask for. A script holds numbers only: what it sends back leads nowhere but to these. */
import { ApiError } from '../call/api-error.ts'
import type { ParamEntry } from '../catalog/catalog.ts'
import { findJson } from '../call/exact-json.ts'
import { nextPage, type NextPage } from './next-page.ts'
import { itemsIn } from './page-fields.ts'
import type { ReceivedAnswer } from '../call/send.ts'

/** One that was not asked for yet. */
export interface Page extends NextPage {
  /** The first is 1. */
  readonly number: number
  readonly itemsBefore: number
  /** Of the answer before, where an API may not know that it should be another one. */
  readonly digest?: string | undefined
}

/** An answer to the call for a page, and where that went. */
export interface PageReceived {
  readonly url: URL
  readonly received: ReceivedAnswer
  readonly body: unknown
}

export class PageShelf {
  readonly #pages: (Page | ApiError)[] = []

  /** `undefined` for the first page of all. @throws {ApiError} when it is known that the page cannot be had. */
  find(number: number | undefined): Page | undefined {
    const page = number ? this.#pages[number - 1] : undefined
    if (page instanceof ApiError) throw page
    return page
  }

  /** Puts down what follows a page; the answer is for the script. */
  async add(
    name: string,
    params: readonly ParamEntry[],
    answer: PageReceived,
    page: Page | undefined,
  ): Promise<{ readonly nextPage?: number }> {
    const { url, body, received } = answer
    const { itemsBefore = 0, number = 1, total } = page ?? {}
    try {
      const link = received.headers.get('Link')
      const wasNamed = page !== undefined && !page.isGuess
      const next = nextPage(name, params, { url, link, body, wasNamed, itemsBefore, total })
      if (!next) return {}
      const items = itemsIn(body) ?? []
      // Rows of a table are never all the same; plain values may be.
      const isTable = typeof items[0] === 'object'
      return this.#put({
        ...next,
        number: number + 1,
        itemsBefore: itemsBefore + items.length,
        digest: next.isGuess && isTable ? await digestOf(received.bytes) : undefined,
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // This page is good; the next one is not.
      return this.#put(error)
    }
  }

  #put(page: Page | ApiError): { readonly nextPage: number } {
    return { nextPage: this.#pages.push(page) }
  }
}

/** Reads an answer once for all that has to know of pages. */
export function pageReceived(url: URL, received: ReceivedAnswer): PageReceived {
  return { url, received, body: findJson(new TextDecoder().decode(received.bytes)) }
}

/** Whether a page that was guessed turns out not to be there: none, an empty one, or the last one again. */
export async function isBeyondEnd(
  page: Page | undefined,
  { received, body }: PageReceived,
): Promise<boolean> {
  if (!page?.isGuess) return false
  if (received.status === 404 || itemsIn(body)?.length === 0) return true
  return page.digest !== undefined && page.digest === (await digestOf(received.bytes))
}

async function digestOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return new Uint8Array(digest).join()
}
