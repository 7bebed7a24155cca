/** Files as resources through official clients, against the Worker as it is deployed. */
import { afterAll, describe, expect, it } from 'vitest'
import { startMcpWorker } from './mcp-worker.ts'
import { CLIENT_KINDS, type OfficialClient } from './official-clients.ts'
import { bytesAt, runScript } from './tool-answer.ts'

const worker = await startMcpWorker()
afterAll(() => worker.stop())

describe.each(CLIENT_KINDS)('$name', (kind) => {
  const connect = (test: string) => worker.connect(kind, { tenant: `${test} ${kind.name}` })

  it('pages through all files and meets each of them once', async () => {
    const client = await connect('pages')
    const script = `
      local names = {}
      for i = 1, 230 do
        names[i] = ("%s/%d %%é#?.txt"):format(i % 3 == 0 and "output/deep" or "more", i)
        io.open(names[i], "w"):write(i):close()
      end
      return names`
    const { answer } = await runScript(client, script)
    const names = answer.result as string[]
    expect([answer.files_touched.length, answer.more_files!.count]).toEqual([50, 180])
    await bytesAt(answer.more_files!.link)

    const pages = await pagesOf(client)
    expect(pages.length).toBeGreaterThan(2)
    const resources = pages.flat()
    expect(resources.map(({ name }) => name).sort()).toEqual(names.toSorted())
    const last = resources.find(({ name }) => name === names.at(-1))!
    expect((await client.readResource(last.uri)).contents).toEqual([
      { uri: last.uri, mimeType: 'text/plain; charset=utf-8', text: '230' },
    ])
  })

  it.each([
    ['moonbucket:///none.txt', 'Resource not found: moonbucket:///none.txt'],
    ['file:///etc/passwd', 'Not a file of this service.'],
  ])('throws an error for %s', async (uri, message) => {
    const client = await connect('errs')
    const thrown = { code: -32_602, message: expect.stringContaining(message) }
    await expect(client.readResource(uri)).rejects.toMatchObject(thrown)
  })

  it('throws an error for a cursor that nobody gave', async () => {
    const client = await connect('errs')
    const thrown = { code: -32_602, message: expect.stringContaining('cursor') }
    await expect(client.listResources('nowhere')).rejects.toMatchObject(thrown)
  })
})

async function pagesOf(client: OfficialClient) {
  const pages = []
  let cursor: string | undefined
  do {
    const { resources, nextCursor } = await client.listResources(cursor)
    pages.push(resources)
    cursor = nextCursor
  } while (cursor !== undefined)
  return pages
}
