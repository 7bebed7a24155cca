/** Callers beside each other: however alike their names are, none meets another's files. */
import { describe, expect, it } from 'vitest'
import { callersLike, claimsOf, newTenant } from '../support/alike-callers.ts'
import type { Claims } from '../support/make-app.ts'
import { makeMcp, REVISIONS, type Revision } from './make-mcp.ts'

type Made = Awaited<ReturnType<typeof makeMcp>>

interface Seen {
  readonly listed: unknown
  readonly read: unknown
  readonly found: unknown
  readonly resources: unknown
  readonly resource: unknown
  readonly shared: unknown
  readonly run: unknown
}

/** Everything a caller can find, in every way there is. */
async function look({ call, result }: Made, claims: Claims, revision: Revision): Promise<Seen> {
  const options = { claims, revision }
  type Data = { data: { entries: { path: string }[]; content: string } }
  const data = async (tool: string, input: object) =>
    (await call<Data>(tool, input, options)).structuredContent.data
  const paths = ({ entries }: Data['data']) => entries.map(({ path }) => path)
  const { resources } = await result<{ resources: { uri: string }[] }>(
    'resources/list',
    {},
    options,
  )
  const textAt = async (path: string) => {
    const asked = { uri: `moonbucket:///${path}` }
    type Read = { contents: { text: string }[] }
    return (await result<Read>('resources/read', asked, options)).contents[0]!.text
  }
  const script = `local names = {}
    for _, folder in ipairs{".", "same", "share"} do
      for _, name in ipairs(io.list(folder) or {}) do names[#names + 1] = name end
    end
    return {names, io.open("same/name.txt"):read("a")}`
  const { structuredContent } = await call<{ result: unknown }>(
    'execute_script',
    { script },
    options,
  )
  return {
    listed: paths(await data('folder_list', { recursive: true })),
    read: (await data('file_read', { path: 'same/name.txt' })).content,
    found: paths(await data('file_find', { pattern: '**' })),
    resources: resources.map(({ uri }) => uri),
    resource: await textAt('same/name.txt'),
    shared: await textAt('SHARE/note.txt'),
    run: structuredContent.result,
  }
}

describe('callers with the same names for their files', () => {
  it.each(REVISIONS)('see their own, and what their tenant shares, in %s', async (revision) => {
    const made = await makeMcp()
    const callers = (await callersLike(newTenant(), 'alice.a')).map(claimsOf)
    const write = (claims: Claims, path: string, content: string) =>
      made.call('file_write', { path, content }, { claims, revision })
    for (const claims of callers) {
      await write(claims, 'same/name.txt', JSON.stringify(claims))
      await write(claims, 'Share/note.txt', String(claims.tenant))
    }
    const shared = ['share', 'share/note.txt']
    for (const claims of callers) {
      const own = JSON.stringify(claims)
      expect(await look(made, claims, revision)).toEqual({
        listed: ['same', 'same/name.txt', ...shared],
        read: own,
        found: ['same', 'same/name.txt', ...shared],
        resources: ['moonbucket:///same/name.txt', 'moonbucket:///share/note.txt'],
        resource: own,
        shared: claims.tenant,
        run: [['same', 'share', 'name.txt', 'note.txt'], own],
      } satisfies Seen)
    }
  })
})

describe('32 requests at once', () => {
  it('of different tenants and revisions are each answered with their own', async () => {
    const made = await makeMcp()
    const callers = await callersLike(newTenant(), 'alice.a')
    const asked = Array.from({ length: 32 }, async (_, i) => {
      const caller = callers[i % callers.length]!
      const options = {
        // Nobody calls twice.
        claims: { ...claimsOf(caller), ...(i >= callers.length && { sub: `u${i}` }) },
        revision: REVISIONS[i % 3]!,
        ...(i % 2 === 1 && { progressToken: i }),
      }
      const script = `print("from ${i}") file.save("mine.txt", "${i}")
        for _ = 1, 5 do io.open("mine.txt"):read("a") end
        return {who = ${i}, has = io.list(), read = io.open("mine.txt"):read("a")}`
      const { structuredContent } = await made.call('execute_script', { script }, options)
      const read = await made.call('file_read', { path: 'mine.txt' }, options)
      const { resources } = await made.result<{ resources: { name: string }[] }>(
        'resources/list',
        {},
        options,
      )
      expect(structuredContent).toMatchObject({
        result: { who: i, has: ['mine.txt'], read: String(i) },
        logs: [`from ${i}`],
      })
      expect(read.structuredContent).toMatchObject({ data: { content: String(i) } })
      expect(resources.map(({ name }) => name)).toEqual(['mine.txt'])
    })
    await Promise.all(asked)
    const runs = made.events.filter(({ event }) => event === 'run')
    expect(runs).toHaveLength(32)
    expect(new Set(runs.map(({ request_id }) => request_id)).size).toBe(32)
    expect(made.service.admission.usedBytes).toBe(0)
  })
})
