/** MCP in a runtime, by the official client in both of its ways to speak. */
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { Caller } from './runtime.ts'

const MODES: readonly (readonly [string, VersionNegotiationMode])[] = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
]

const TOOLS = [
  'apply_patch',
  'execute_script',
  'file_delete',
  'file_edit',
  'file_exists',
  'file_find',
  'file_info',
  'file_read',
  'file_write',
  'folder_create',
  'folder_list',
  'get_file_link',
  'get_upload_link',
  'save_result_page',
]

export function describeMcp(caller: Caller): void {
  async function connect(tenant: string, mode: VersionNegotiationMode): Promise<Client> {
    const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode } })
    const headers = { Authorization: `Bearer ${await caller.token(tenant)}` }
    const address = new URL(caller.at('/mcp'))
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
    return client
  }

  describe.each(MODES)('a model that speaks %s', (revision, mode) => {
    it('finds the tools', async () => {
      const client = await connect('models', mode)
      expect(client.getNegotiatedProtocolVersion()).toBe(revision)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name).sort()).toEqual(TOOLS)
      await client.close()
    })

    it('runs a script and hears of it meanwhile', async () => {
      const client = await connect('models', mode)
      const heard: (string | undefined)[] = []
      const script = 'print("begun") io.open("a.txt", "w"):write("x"):close() return {answer = 42}'
      const { structuredContent, isError } = await client.callTool(
        { name: 'execute_script', arguments: { script } },
        { onprogress: ({ message }) => heard.push(message) },
      )
      expect([structuredContent, isError, heard]).toEqual([
        {
          result: { answer: 42 },
          logs: ['begun'],
          files_touched: [
            {
              name: 'a.txt',
              op: 'write',
              bytes: 1,
              link: expect.stringContaining(caller.at('/files/out?path=a.txt&token=')),
              expires_at: expect.any(String),
            },
          ],
        },
        undefined,
        ['begun'],
      ])
      await client.close()
    })
  })
}
