/**
 * Uses of every request: that they compile is the test, here with the inferred types and in the
 * package with those written out. Nothing calls them.
 */
import { type Moonbucket, MoonbucketError, type RunEvent } from '../../src/client/index.ts'

/** Both ways, so that neither is wider. */
function same<Type>(value: Type): (given: Type) => Type {
  return () => value
}

export async function useFiles({ files }: Moonbucket) {
  const read = await files.read({ path: 'a', encoding: 'base64', offset: 1, length: 2 })
  same<{
    content: string
    encoding: string
    bytes: number
    offset: number
    total_bytes: number
    truncated: boolean
  }>(read)
  // @ts-expect-error -- an encoding that there is not
  await files.read({ path: 'a', encoding: 'utf-7' })
  // @ts-expect-error -- a field that there is not
  await files.read({ path: 'a', from: 1 })
  // @ts-expect-error -- the path is missing
  await files.read({})
  same<string>((await files.readDocument({ path: 'a.pdf', pages: '1-2' })).text)
  same<{ path: string; bytes: number; link: string }>(
    await files.write({ path: 'a', content: 'b', force: false }),
  )
  same<string | null>((await files.append({ path: 'a', content: 'b' })).link)
  const { entries, cursor } = await files.list()
  same<string | null>(cursor)
  same<'file' | 'folder' | undefined>(entries[0]?.type)
  same<boolean>((await files.makeFolder({ path: 'a' })).created)
  same<number>((await files.copy({ from: 'a', to: 'b', if_match: 'e' })).copied)
  same<number>((await files.move({ from: 'a', to: 'b', force: true })).moved)
  same<number>((await files.delete({ path: 'a', recursive: true })).deleted)
  same<'file' | 'folder' | null>((await files.exists({ path: 'a' })).type)
  same<string | null | undefined>((await files.info({ path: 'a', sha256: true })).sha256)
  same<number>((await files.edit({ path: 'a', old: 'b', new: 'c' })).replacements)
  same<boolean>((await files.find({ pattern: '*' })).truncated)
  same<number | undefined>((await files.search({ pattern: 'a' })).matches[0]?.line)
  same<'created' | 'changed' | 'deleted' | undefined>(
    (await files.patch({ patch: '' })).files[0]?.change,
  )
  same<string>((await files.upload('a', 'b', { isNew: true })).etag)
  same<Response>(await files.download('a', { range: [0, 9] }))
}

export async function useRuns(client: Moonbucket) {
  const answer = await client.run<number[]>('return {1}', { args: 1, limits: { fuel: 1 } })
  same<number[]>(answer.result)
  same<string[]>(answer.logs)
  same<'write' | 'append' | 'remove' | undefined>(answer.files_touched[0]?.op)
  // @ts-expect-error -- only in the background
  await client.run('', { retry: true })
  const run = await client.background('', { retry: true, notify: 'https://example.com' })
  for await (const event of run.events()) same<RunEvent>(event)
  same<string | undefined>((await run.wait()).answer?.error?.message)
  same<string | null>((await run.cancel()).ended_at)
  same<unknown>((await client.runs.get({ id: run.id, wait: 1 })).answer?.result)
  same<string | undefined>((await client.runs.list({ status: 'lost' })).next)
  // @ts-expect-error -- a status that there is not
  await client.runs.list({ status: 'done' })
  same<number>((await client.runs.cancel({ id: run.id })).log_lines)
}

export async function useTheRest(client: Moonbucket) {
  const { link, expires_at } = await client.links.create({ path: 'a', ttl_s: 1 })
  same<string>(link)
  same<string | undefined>(expires_at)
  const upload = await client.links.createUpload({ path: 'a/', max_files: 2 })
  same<Record<string, string>>(upload.headers)
  same<'PUT'>(upload.method)
  same<string | undefined>((await client.links.revoke({ all: true })).urls_until)
  const { scripts, next } = await client.scripts.list({ limit: 1 })
  same<string | undefined>(scripts[0]?.name ?? next)
  same<string[]>((await client.scripts.run({ name: 'a', args: 1, commit: 'on_success' })).logs)
  same<string>((await client.keys.create({ scopes: ['files:read'], ttl_s: 60 })).key)
  // @ts-expect-error -- a scope that there is not
  await client.keys.create({ scopes: ['all'] })
  same<string | undefined>((await client.keys.list()).keys[0]?.id)
  same<string>((await client.keys.revoke({ id: 'a' })).id)
  same<string>((await client.reports.save({ title: 't', content: 'c', format: 'html' })).path)
  same<number | undefined>((await client.usage()).runs_today?.used)
}

export function useErrors(error: unknown): string {
  if (!(error instanceof MoonbucketError)) return ''
  // @ts-expect-error -- a code that there is not
  if (error.code === 'nonsense') return ''
  return error.code === 'rate_limited' ? `${error.retryAfter}` : `${error.requestId}`
}
