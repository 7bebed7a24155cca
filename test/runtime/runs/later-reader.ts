/** Reads runs hours after they were offered, when all have ended in some way. */
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { makeApp, type Row } from '../../support/make-app.ts'
import { testQueue } from '../../support/run-queue.ts'
import { SECRETS } from '../../support/sign-token.ts'

/** Beyond every lease; records are kept for days. */
const LATER_MS = 3 * 3600 * 1000
/** A queue that was memory of a killed process has lost what it had. */
const KEEPS_MS = 1

export interface Run {
  readonly id: string
  readonly status: string
  readonly started_at: string | null
  readonly answer?: { readonly result?: unknown; readonly files_touched: readonly Row[] }
}

interface RunPage {
  readonly runs: readonly Run[]
  readonly next?: string
}

interface FilePage {
  readonly data: {
    readonly entries: readonly { readonly path: string; readonly type: string }[]
    readonly cursor: string | null
  }
}

type PlainInit = RequestInit & { readonly headers?: Record<string, string> }

const JSON_TYPE = { 'Content-Type': 'application/json' }

export type LaterReader = Awaited<ReturnType<typeof laterReader>>

/** With the rights of alice of this tenant, on the store that the engines share. */
export async function laterReader(tenant: string) {
  const { settings } = await sharedS3()
  const app = await makeApp({
    storage: s3Storage(settings),
    env: SECRETS,
    now: () => new Date(Date.now() + LATER_MS),
    runQueue: testQueue(KEEPS_MS),
  })
  const send = (path: string, init?: PlainInit) => app.send(path, init, { tenant })
  const post = (path: string, body: object) =>
    send(path, { method: 'POST', body: JSON.stringify(body), headers: JSON_TYPE })
  return {
    async text(path: string): Promise<string | null> {
      const response = await send(`/fs/content?path=${encodeURIComponent(path)}`)
      return response.status === 404 ? null : response.text()
    },
    run: async (id: string) => (await (await send(`/runs/${id}`)).json()) as Run,
    runIds: () =>
      allPages(async (cursor = '') => {
        const query = cursor && `&cursor=${encodeURIComponent(cursor)}`
        const page = (await (await send(`/runs?limit=100${query}`)).json()) as RunPage
        return [page.runs.map(({ id }) => id), page.next ?? null]
      }),
    files: () =>
      allPages(async (cursor) => {
        const body = { path: 'output', recursive: true, cursor }
        const response = await post('/fs/list', body)
        if (response.status === 404) return [[], null]
        const { data } = (await response.json()) as FilePage
        const files = data.entries.filter(({ type }) => type === 'file')
        return [files.map(({ path }) => path), data.cursor]
      }),
  }
}

/** What a run says it has stored, and is there at its end. */
export function storedRows({ answer }: Run): readonly Row[] {
  const rows = answer?.files_touched ?? []
  return rows.filter(({ op, stored }) => op !== 'remove' && stored !== false)
}

/** Every item of a paged answer. */
async function allPages<Item>(
  page: (cursor: string | undefined) => Promise<readonly [readonly Item[], string | null]>,
): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor: string | undefined; ;) {
    const [more, next]: readonly [readonly Item[], string | null] = await page(cursor)
    items.push(...more)
    if (next === null) return items
    cursor = next
  }
}
