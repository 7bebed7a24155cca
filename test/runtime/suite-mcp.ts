/** MCP in a runtime, by official clients of both revisions. */
import { describe, expect, it } from 'vitest'
import { CLIENT_KINDS } from '../node/mcp/official-clients.ts'
import { TOOL_NAMES } from '../node/mcp/tool-answer.ts'
import type { Caller } from '../support/caller.ts'

export function describeMcp(caller: Caller): void {
  describe.each(CLIENT_KINDS.slice(1))('a model with $name', (kind) => {
    async function connect() {
      const client = kind.make(caller.at('/mcp'), { token: await caller.token('models') })
      await client.connect()
      return client
    }

    it('finds the tools', async () => {
      const client = await connect()
      expect(client.revision()).toBe(kind.revision)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES)
      await client.close()
    })

    it('runs a script and hears of it meanwhile', async () => {
      const client = await connect()
      const heard: (string | undefined)[] = []
      const script = 'print("begun") io.open("a.txt", "w"):write("x"):close() return {answer = 42}'
      const { structuredContent, isError } = await client.callTool(
        'execute_script',
        { script },
        { onprogress: ({ message }) => heard.push(message) },
      )
      const row = {
        name: 'a.txt',
        op: 'write',
        bytes: 1,
        link: expect.stringContaining(caller.at('/files/out?path=a.txt&token=')),
        expires_at: expect.any(String),
      }
      expect([structuredContent, isError, heard]).toEqual([
        { result: { answer: 42 }, logs: ['begun'], files_touched: [row] },
        undefined,
        ['begun'],
      ])
      await client.close()
    })
  })
}
