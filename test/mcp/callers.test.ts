/** Callers beside each other: however alike their names are, none meets another's files. */
import { describe, expect, it } from 'vitest'
import type { Claims } from '../support/make-app.ts'
import { makeMcp, REVISIONS, type Revision } from './make-mcp.ts'

type Made = Awaited<ReturnType<typeof makeMcp>>

/** Each with claims of its own, in tenants that only this test has. */
function callersOf(own: string): Record<string, Claims> {
  const [one, two] = [`acme-${own}`, `acme-${own}2`]
  return {
    'alice of one': { tenant: one, sub: 'alice' },
    'bob of one': { tenant: one, sub: 'bob' },
    'the companion of one': { tenant: one, sub: 'alice', app_id: 'Companion' },
    'nobody of one': { tenant: one, sub: undefined },
    'alice of two': { tenant: two, sub: 'alice' },
    'bob of two': { tenant: two, sub: 'bob' },
    'the companion of two': { tenant: two, sub: 'companion' },
    'nobody of two': { tenant: two, sub: undefined },
  }
}

interface Seen {
  readonly listed: unknown
  readonly read: unknown
  readonly found: unknown
  readonly resources: unknown
  readonly resource: unknown
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
  const { contents } = await result<{ contents: { text: string }[] }>(
    'resources/read',
    { uri: 'moonbucket:///same/name.txt' },
    options,
  )
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
    resource: contents[0]!.text,
    run: structuredContent.result,
  }
}

describe('callers with the same names for their files', () => {
  it.each(REVISIONS)('see their own in %s', async (revision) => {
    const made = await makeMcp()
    const callers = callersOf(crypto.randomUUID())
    for (const [who, claims] of Object.entries(callers)) {
      await made.call('file_write', { path: 'same/name.txt', content: who }, { claims, revision })
    }
    const shared = ['share', 'share/note.txt']
    for (const [who, claims] of Object.entries(callers)) {
      if (!who.startsWith('alice')) continue
      await made.call('file_write', { path: 'Share/note.txt', content: who }, { claims, revision })
    }
    for (const [who, claims] of Object.entries(callers)) {
      expect(await look(made, claims, revision)).toEqual({
        listed: ['same', 'same/name.txt', ...shared],
        read: who,
        found: ['same', 'same/name.txt', ...shared],
        resources: ['moonbucket:///same/name.txt', 'moonbucket:///share/note.txt'],
        resource: who,
        run: [['same', 'share', 'name.txt', 'note.txt'], who],
      } satisfies Seen)
    }
  })

  it('share what is in share, inside their tenant', async () => {
    const { call, result } = await makeMcp()
    const callers = Object.entries(callersOf(crypto.randomUUID()))
    for (const who of ['alice of one', 'alice of two']) {
      const claims = Object.fromEntries(callers)[who]!
      await call('file_write', { path: 'share/note.txt', content: who }, { claims })
    }
    for (const [who, claims] of callers) {
      const { contents } = await result<{ contents: { text: string }[] }>(
        'resources/read',
        { uri: 'moonbucket:///SHARE/note.txt' },
        { claims },
      )
      expect(contents[0]!.text).toBe(who.endsWith('one') ? 'alice of one' : 'alice of two')
    }
  })

  it('change nothing of each other', async () => {
    const { call } = await makeMcp()
    const callers = Object.entries(callersOf(crypto.randomUUID()))
    const [[, first], ...others] = callers as [[string, Claims], ...[string, Claims][]]
    await call('file_write', { path: 'a/b.txt', content: 'mine' }, { claims: first })
    for (const [, claims] of others) {
      const calls = [
        ['file_delete', { path: 'a', recursive: true }],
        ['file_edit', { path: 'a/b.txt', old: 'mine', new: 'yours' }],
        ['apply_patch', { patch: '--- a/a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-mine\n' }],
        ['get_file_link', { path: 'a/b.txt' }],
        ['file_info', { path: 'a/b.txt' }],
      ] as const
      for (const [tool, input] of calls) {
        expect((await call(tool, input, { claims })).isError).toBe(true)
      }
      await call('execute_script', { script: 'os.remove("a/b.txt")' }, { claims })
    }
    const { structuredContent } = await call('file_read', { path: 'a/b.txt' }, { claims: first })
    expect(structuredContent).toMatchObject({ data: { content: 'mine' } })
  })
})

describe('a cursor', () => {
  it.each(['resources/list', 'folder_list'])(
    'of one caller gives another nothing but its own, by %s',
    async (way) => {
      const { run, result, call } = await makeMcp()
      const page = async (claims: { tenant: string }, cursor?: string) => {
        const asked = cursor === undefined ? {} : { cursor }
        if (way === 'resources/list') return result<{ nextCursor: string }>(way, asked, { claims })
        const { structuredContent } = await call<{ data: { cursor: string } }>(way, asked, {
          claims,
        })
        return { ...structuredContent.data, nextCursor: structuredContent.data.cursor }
      }
      const one = { tenant: `one-${crypto.randomUUID()}` }
      const two = { tenant: `two-${crypto.randomUUID()}` }
      await run('for i = 1, 150 do io.open(("secret-%03d"):format(i), "w"):close() end', {}, one)
      await run('io.open("a", "w"):close() io.open("z", "w"):close()', {}, two)
      const { nextCursor } = await page(one)
      const told = JSON.stringify(await page(two, nextCursor))
      expect(told).not.toContain('secret')
      expect(told).toContain('"z')
      expect(told).not.toContain('"a"')
    },
  )
})

describe('32 requests at once', () => {
  it('of different tenants and revisions are each answered with their own', async () => {
    const made = await makeMcp()
    const own = crypto.randomUUID()
    const asked = Array.from({ length: 32 }, async (_, i) => {
      const claims = { tenant: `t${i % 8}-${own}`, sub: `u${i}` }
      const options = {
        claims,
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
