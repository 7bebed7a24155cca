/** Tools and resources through official clients, over HTTP to the Worker as deployed. */
import { afterAll, describe, expect, it } from 'vitest'
import { makeGate } from '../../support/gate.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { isAll } from '../../support/tier.ts'
import { startMcpWorker } from './mcp-worker.ts'
import { CLIENT_KINDS, TESTED_KINDS, type ClientKind, type Progress } from './official-clients.ts'
import { bytesAt, partsOf, runScript, textAt, TOOL_NAMES } from './tool-answer.ts'

// No run ends by itself here: what ends an endless one is its caller.
const worker = await startMcpWorker({ TIMEOUT_MS: '600000', FUEL: '900000000000000' })
afterAll(() => worker.stop())

const tenantOf = (test: string, kind: ClientKind) => `${test} ${kind.name}`

describe.each(TESTED_KINDS)('$name', (kind) => {
  const connect = (test: string) => worker.connect(kind, { tenant: tenantOf(test, kind) })

  it('agrees on a revision and lists every tool', async () => {
    const client = await connect('lists')
    expect(client.revision()).toBe(kind.revision)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES)
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.any(String),
        description: expect.any(String),
        inputSchema: { type: 'object', additionalProperties: false },
        outputSchema: { type: 'object' },
      })
    }
  })

  it('gets the answer of a script as structure and as text, and links that open', async () => {
    const client = await connect('runs')
    await client.listTools()
    const script = `
      print("working")
      io.open("output/a b.csv", "w"):write("1,é\\n"):close()
      io.open("raw.bin", "wb"):write("\\0\\255\\128"):close()
      return {n = args.n}`
    const { answer, text, links } = await runScript(client, script, { n: 3 })
    const row = (name: string, bytes: number) => ({
      name,
      op: 'write',
      bytes,
      link: expect.stringContaining(`${worker.origin}/files/out?path=`),
      expires_at: expect.any(String),
    })
    expect(answer).toEqual({
      result: { n: 3 },
      logs: ['working'],
      files_touched: [row('output/a b.csv', 5), row('raw.bin', 3)],
    })
    expect(JSON.parse(text)).toEqual(answer)
    expect(links.map(({ name, mimeType, size }) => [name, mimeType, size])).toEqual([
      ['output/a b.csv', 'text/csv; charset=utf-8', 5],
      ['raw.bin', 'application/octet-stream', 3],
    ])
    expect(links.map(({ uri }) => uri)).toEqual(answer.files_touched.map(({ link }) => link))
    expect(await textAt(links[0]!.uri)).toBe('1,é\n')
    expect([...(await bytesAt(links[1]!.uri))]).toEqual([0, 255, 128])
  })

  it('takes what every tool answers for an answer of its schema', async () => {
    const client = await connect('tools')
    await client.listTools()
    const path = 'notes/a.md'
    const patch = '--- a/notes/a.md\n+++ b/notes/a.md\n@@ -1 +1 @@\n-# Two\n+# Three\n'
    const background = { script: 'return 1', background: true }
    const started = await client.callTool('execute_script', background)
    const { run } = started.structuredContent as { readonly run: { readonly id: string } }
    const calls: [string, object][] = [
      ['execute_script', { script: 'return 1' }],
      ['file_write', { path: 'scripts/one.lua', content: '---@param n integer\n\nreturn args.n' }],
      ['run_saved_script', { name: 'one', args: { n: 1 } }],
      ['list_saved_scripts', {}],
      ['get_run', { id: run.id, wait: 30 }],
      ['list_runs', {}],
      ['cancel_run', { id: run.id }],
      ['folder_create', { path: 'notes' }],
      ['file_write', { path, content: '# One\n' }],
      ['file_append', { path, content: 'more\n' }],
      ['file_copy', { from: path, to: 'notes/b.md' }],
      ['file_move', { from: 'notes/b.md', to: 'c.md' }],
      ['file_edit', { path, old: 'One\nmore\n', new: 'Two\n' }],
      ['apply_patch', { patch }],
      ['file_read', { path }],
      ['document_read', { path }],
      ['file_info', { path }],
      ['file_exists', { path }],
      ['folder_list', { recursive: true }],
      ['file_find', { pattern: '**/*.md' }],
      ['file_search', { pattern: 'Three', context: 1 }],
      ['get_file_link', { path }],
      ['get_upload_link', { path: 'in.csv' }],
      ['revoke_links', { path: 'in.csv' }],
      ['save_result_page', { title: 'Done', content: 'All *done*.' }],
      ['file_delete', { path }],
    ]
    expect([...new Set(calls.map(([name]) => name))].sort()).toEqual(TOOL_NAMES.toSorted())
    for (const [name, args] of calls) {
      const { answer, text, links, isError } = partsOf(await client.callTool(name, args))
      expect([name, isError, JSON.parse(text)]).toEqual([name, false, answer])
      for (const { uri } of links) await bytesAt(uri)
    }
  })

  it('refuses an answer that is not of the schema', async () => {
    const bending: typeof fetch = async (...request) => {
      const response = await fetchAnew(...request)
      const body = (await response.text()).replace(
        '"structuredContent":{"success":true',
        '"structuredContent":{"success":1',
      )
      return new Response(body || null, response)
    }
    const claims = { tenant: tenantOf('schemas', kind) }
    const client = await worker.connect(kind, claims, { fetch: bending })
    await client.listTools()
    await expect(client.callTool('file_exists', { path: 'a' })).rejects.toThrow(/output schema/)
  })

  it('hears what a run says before it is over', async () => {
    const client = await connect('watches')
    // Goes on when the step before was heard. The work in between makes it let others in.
    const script = `
      for step = 1, 3 do
        io.open("step" .. step, "w"):write(step):close()
        print("step " .. step)
        repeat for i = 1, 1000000 do end until #io.list("share") >= step
      end
      return "seen"`
    const heard: Progress[] = []
    const answering: Promise<unknown>[] = []
    function onprogress(progress: Progress): void {
      heard.push(progress)
      const step = /^step (\d)$/.exec(progress.message ?? '')?.[1]
      if (step === undefined) return
      answering.push(client.callTool('file_write', { path: `share/${step}`, content: '' }))
    }
    const { answer } = partsOf(await client.callTool('execute_script', { script }, { onprogress }))
    await Promise.all(answering)
    expect(answer).toMatchObject({ result: 'seen', logs: ['step 1', 'step 2', 'step 3'] })
    expect(answering).toHaveLength(3)
    expect(heard.map(({ progress }) => progress)).toEqual(heard.map((_, at) => at + 1))
  })

  it('gets a failed script’s error, logs and files', async () => {
    const client = await connect('fails')
    await client.listTools()
    const script = `
      print("so far")
      io.open("kept.txt", "w"):write("kept"):close()
      error("no such customer")`
    const result = await client.callTool('execute_script', { script })
    const { answer, text, links, isError } = partsOf(result)
    expect(isError).toBe(true)
    expect(answer).toMatchObject({
      result: null,
      logs: ['so far'],
      files_touched: [{ name: 'kept.txt', op: 'write', bytes: 4 }],
      error: { kind: 'runtime', message: expect.stringContaining('no such customer'), line: 4 },
    })
    expect(text).toBe(`Script execution error: ${answer.error!.message}\n${JSON.stringify(answer)}`)
    expect(await textAt(links[0]!.uri)).toBe('kept')
  })

  it('reads resources of text and of bytes, and knows how to address them', async () => {
    const client = await connect('reads')
    const script = `
      io.open("text.md", "w"):write("# é"):close()
      local f = io.open("all.bin", "wb")
      for byte = 0, 255 do f:write(string.char(byte)) end
      f:close()`
    await runScript(client, script)
    const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    for (const expected of [
      { uri: 'moonbucket:///text.md', mimeType: 'text/markdown; charset=utf-8', text: '# é' },
      {
        uri: 'moonbucket:///all.bin',
        mimeType: 'application/octet-stream',
        blob: Buffer.from(allBytes).toString('base64'),
      },
    ]) {
      expect((await client.readResource(expected.uri)).contents).toEqual([expected])
    }
    const { resourceTemplates } = await client.listResourceTemplates()
    const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate)
    expect(templates).toEqual(['moonbucket:///{+path}'])
  })

  it('throws an error that names the tool there is not', async () => {
    const client = await connect('errs')
    await expect(client.callTool('file_reed', {})).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('Unknown tool: file_reed. Available: execute_script, '),
    })
  })

  it('ends an endless run by giving up', async () => {
    expect(
      await giveUp('leaves', kind, 'while true do print(1) for i = 1, 1000000 do end end'),
    ).toMatchObject({ outcome: 'timeout' })
  })
})

// Noticed when a sign of life gets lost, five seconds later.
it.runIf(isAll)('a run that says nothing more is ended as well', async () => {
  const script = 'print("begun") while true do end'
  const runs = CLIENT_KINDS.map((kind) => giveUp('leaves in silence', kind, script))
  const ended = { outcome: 'timeout' }
  expect(await Promise.all(runs)).toMatchObject(CLIENT_KINDS.map(() => ended))
})

/** Calls off a run that has begun; gives what the log says of its end. */
async function giveUp(test: string, kind: ClientKind, script: string) {
  const tenant = tenantOf(test, kind)
  const client = await worker.connect(kind, { tenant })
  const { opened, open } = makeGate()
  const leaving = new AbortController()
  const options = { signal: leaving.signal, onprogress: open }
  const call = client.callTool('execute_script', { script }, options)
  await Promise.race([opened, call])
  leaving.abort()
  await expect(call).rejects.toThrow(/abort/i)
  // Without sessions nobody can tell which run a message of its own means: the connection has to go.
  if (!kind.endsRequests) await client.close()
  return worker.runOf(tenant)
}
