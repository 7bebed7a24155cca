/** The server that the conformance suite wants to meet: its tools, resources and prompts, and what they answer. */
import { McpServer } from '@modelcontextprotocol/server'
import { addInputTools, stateCodec } from './conformance-input.ts'
import { addPrompts } from './conformance-prompts.ts'
import { addResources } from './conformance-resources.ts'
import { addTools } from './conformance-tools.ts'

/** A fresh one for every request. */
export function fixtureServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance-fixtures', version: '1.0.0' },
    {
      capabilities: {
        logging: {},
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false, subscribe: true },
      },
      requestState: { verify: stateCodec.verify },
    },
  )
  addTools(server)
  addInputTools(server)
  addResources(server)
  addPrompts(server)
  return server
}
