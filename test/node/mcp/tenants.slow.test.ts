/** Callers with names alike at once on one Worker, through official clients, with files of the same names. */
import { afterAll, describe, expect, it } from 'vitest'
import { callersLike, claimsOf } from '../../support/alike-callers.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import type { Answer } from '../../support/make-app.ts'
import { startMcpWorker } from './mcp-worker.ts'
import { CLIENT_KINDS, type OfficialClient } from './official-clients.ts'

const OWNERS = await callersLike('acme.a', 'alice.a')
const CALLERS = OWNERS.map((owner, number) => ({
  claims: claimsOf(owner),
  who: `caller-${number}`,
  tenant: `tenant-${OWNERS.findIndex(({ tenant }) => tenant === owner.tenant)}`,
}))
/** More than there are callers: some call twice at once. */
const CALLS = 24

/** Lists again and again, so that runs take turns. */
const SCRIPT = `
  print(args.who)
  io.open("same.txt", "w"):write(args.who):close()
  io.open("only/" .. args.who, "w"):write(args.who):close()
  io.open("share/of-" .. args.tenant, "w"):write(args.tenant):close()
  for i = 1, 20 do
    for j = 1, 100000 do end
    io.list("only")
  end
  return {
    read = io.open("same.txt"):read("a"),
    only = io.list("only"),
    shared = io.list("share"),
  }`

const worker = await startMcpWorker()
const calls = await callAtOnce()
afterAll(() => worker.stop())

/** Every client numbers its messages alike. */
async function callAtOnce() {
  const clients = await Promise.all(
    Array.from({ length: CALLS }, async (_, at) => {
      const caller = CALLERS[at % CALLERS.length]!
      const kind = CLIENT_KINDS[at % CLIENT_KINDS.length]!
      return { ...caller, client: await worker.connect(kind, caller.claims) }
    }),
  )
  return Promise.all(
    clients.map(async ({ who, tenant, client }) => {
      const heard = new Set<string | undefined>()
      const result = await client.callTool(
        'execute_script',
        { script: SCRIPT, args: { who, tenant } },
        { onprogress: ({ message }) => heard.add(message) },
      )
      return { who, tenant, client, heard, answer: result.structuredContent as unknown as Answer }
    }),
  )
}

describe('of calls at once', () => {
  it('each reads and hears only its own', () => {
    expect(calls).toHaveLength(CALLS)
    for (const { who, tenant, heard, answer } of calls) {
      expect(answer).toMatchObject({
        result: { read: who, only: [who], shared: [`of-${tenant}`] },
        logs: [who],
      })
      // Where machines are slow, it also hears how long it takes.
      expect([...heard].filter((message) => !message!.startsWith('Running for '))).toEqual([who])
    }
  })

  it('each gets links to its own bytes', async () => {
    for (const { who, tenant, answer } of calls) {
      const rows = answer.files_touched.map(async ({ name, link }) => [
        name,
        await (await fetchAnew(link!)).text(),
      ])
      expect(await Promise.all(rows)).toEqual([
        [`only/${who}`, who],
        ['same.txt', who],
        [`share/of-${tenant}`, tenant],
      ])
    }
  })

  it('each lists and reads only its own resources', async () => {
    const told = calls.map(async ({ client }) => {
      const { resources } = await client.listResources()
      const contents = resources.map(async ({ name, uri }) => [name, await textOf(client, uri)])
      return Promise.all(contents)
    })
    expect(await Promise.all(told)).toEqual(
      calls.map(({ who, tenant }) => [
        [`only/${who}`, who],
        ['same.txt', who],
        [`share/of-${tenant}`, tenant],
      ]),
    )
  })
})

async function textOf(client: OfficialClient, uri: string): Promise<unknown> {
  const { contents } = await client.readResource(uri)
  return (contents[0] as { text?: string }).text
}

/** What each way to a file says, without what names the request or the file. */
async function refusalsOf(client: OfficialClient, path: string): Promise<string[]> {
  const inScript = { script: 'error(select(2, io.open(args)))', args: path }
  const asked = [
    client.callTool('file_read', { path }),
    client.callTool('file_info', { path }),
    client.callTool('file_delete', { path }),
    client.callTool('get_file_link', { path }),
    client.callTool('execute_script', inScript),
  ]
  return Promise.all(
    asked.map(async (asking) => {
      const { isError, content } = await asking
      if (!isError) throw new Error(`${path} is there: ${JSON.stringify(content)}`)
      return JSON.stringify(content)
        .replaceAll(path, '')
        .replace(/[-0-9a-f]{36}/, '')
    }),
  )
}

it.each(CALLERS.slice(1))(
  'the files of the first caller are like files that never were to $claims',
  async ({ who }) => {
    const { client } = calls.find((call) => call.who === who)!
    const theirs = `only/${calls[0]!.who}`
    const refused = await refusalsOf(client, theirs)
    expect(refused).toEqual(await refusalsOf(client, `only/${'x'.repeat(calls[0]!.who.length)}`))
    const read = client.readResource(`moonbucket:///${theirs}`)
    await expect(read).rejects.toThrow(`Resource not found: moonbucket:///${theirs}`)
  },
)
