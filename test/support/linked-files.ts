/** An app with files in its store, whose links a person opens; counts what the store is asked. */
import { parseFolder } from '../../src/files/path.ts'
import { openArea, type AreaOwner } from '../../src/files/store/area.ts'
import { fileLink, folderLink } from '../../src/links/file-link.ts'
import { signLink } from '../../src/links/link-token.ts'
import { areaLayout } from '../../src/operations/service.ts'
import type { GetOptions } from '../../src/storage/driver.ts'
import { makeApp, ORIGIN, runtimeStorage, type MakeAppOptions } from './make-app.ts'
import { watchedStorage } from './watched-storage.ts'

export const PERSON = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** A read of the store; without a range, of the whole object. */
type ReadRange = GetOptions['range']

export async function appWithFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: MakeAppOptions = {},
) {
  const inner = options.storage ?? (await runtimeStorage())
  const reads: ReadRange[] = []
  const keys = new Set<string>()
  const storage = watchedStorage(inner, (request, key, how: GetOptions = {}) => {
    const isRead = request === 'get' || request === 'getStream'
    // Not those of the service's own records.
    if (isRead && keys.has(key)) reads.push(how.range)
  })
  const made = await makeApp({ ...options, storage })
  const { service } = made
  const owner: AreaOwner = { tenant: made.tenant, kind: 'user', user: 'alice' }
  const area = await openArea(owner, areaLayout(service.config))
  const keyOf = (path: string) => area.keyFor(parseFolder(path))
  async function put(path: string, content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    keys.add(keyOf(path))
    await inner.put(keyOf(path), bytes)
  }
  for (const [path, content] of Object.entries(files)) await put(path, content)

  /** To a folder if the path ends in a slash. */
  async function linkTo(raw: string): Promise<string> {
    const isFolder = raw === '' || raw.endsWith('/')
    const path = parseFolder(raw)
    const issuedAt = service.now()
    const expiresAt = new Date(issuedAt.getTime() + 3_600_000)
    const purpose = isFolder ? 'list' : 'get'
    const claims = { purpose, owner, path, issuedAt, expiresAt } as const
    const token = await signLink(service.config.linkSecrets, claims)
    return isFolder ? folderLink(ORIGIN, path, token) : fileLink(ORIGIN, path, token)
  }

  /** Opens a link as a person does, unless the headers say otherwise. */
  async function open(path: string, query = '', headers: Record<string, string> = PERSON) {
    reads.length = 0
    return made.app.request((await linkTo(path)) + query, { headers })
  }

  return { ...made, inner, reads, keyOf, put, linkTo, open }
}

/** Cells of a page's table, as text; the first row has names and types. */
export function tableIn(html: string) {
  const head = cellsIn(/<thead>([^]*?)<\/thead>/.exec(html)?.[1] ?? '')
  const body = /<tbody>([^]*?)<\/tbody>/.exec(html)?.[1] ?? ''
  return { head, rows: [...body.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row]) => cellsIn(row!)) }
}

function cellsIn(html: string): string[] {
  const cells = [...html.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)]
  return cells.map(([, cell]) => textIn(cell!.replace('<span>', ':')))
}

export function textIn(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}

/** The address behind a link on a page, by its text. */
export function addressOf(html: string, text: string): string | undefined {
  const found = [...html.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>([^]*?)<\/a>/g)]
  const href = found.find(([, , label]) => textIn(label!) === text)?.[1]
  return href === undefined ? undefined : `${ORIGIN}/files/out${textIn(href)}`
}

/** What a page tells its reader to know. */
export function notesIn(html: string): string[] {
  const list = /<ul class="notes"[^>]*>([^]*?)<\/ul>/.exec(html)?.[1] ?? ''
  return [...list.matchAll(/<li>([^]*?)<\/li>/g)].map(([, note]) => textIn(note!))
}
