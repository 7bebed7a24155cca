/** Tools that answer by themselves: every kind of content, logs, progress, a failure, and unusual schemas. */
import {
  fromJsonSchema,
  type CallToolResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { AUDIO, IMAGE, resource, text } from './conformance-content.ts'

const CONTENT: Readonly<Record<string, CallToolResult['content']>> = {
  test_simple_text: [text('Plain text.')],
  test_image_content: [IMAGE],
  test_audio_content: [AUDIO],
  test_embedded_resource: [resource('test://embedded-resource', 'text/plain', 'A resource.')],
  test_multiple_content_types: [
    text('Three at once.'),
    IMAGE,
    resource('test://mixed-content-resource', 'application/json', '{"value":123}'),
  ],
}

/** With keywords that a library may drop when it does not know them. */
const RICH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'address', type: 'string' } },
  properties: {
    home: { $ref: '#/$defs/address' },
    office: { $ref: '#address' },
    isRemote: { type: 'boolean' },
  },
  allOf: [{ anyOf: [{ required: ['home'] }, { required: ['office'] }] }],
  if: { properties: { isRemote: { const: true } }, required: ['isRemote'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['home'] },
  else: { required: ['office'] },
  additionalProperties: false,
} as const

export function addTools(server: McpServer): void {
  for (const [name, content] of Object.entries(CONTENT)) {
    server.registerTool(name, { description: 'Answers with known content.' }, () => ({ content }))
  }
  server.registerTool('test_error_handling', { description: 'Always fails.' }, () => {
    throw new Error('Failed, as it always does.')
  })
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Logs three times.' }, logThrice)
  }
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports its progress.' },
    reportThrice,
  )
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema of many keywords.', inputSchema: fromJsonSchema(RICH_SCHEMA) },
    () => ({ content: [text('ok')] }),
  )
  server.registerTool(
    'test_custom_header',
    {
      description: 'Has an argument that is repeated in a header.',
      inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    },
    ({ region }) => ({ content: [text(region)] }),
  )
}

async function logThrice({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const line of ['started', 'goes on', 'is over']) {
    await mcpReq.log('info', `The tool ${line}`)
    await pause()
  }
  return { content: [text('Logged.')] }
}

async function reportThrice({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined) {
      const params = { progressToken, progress, total: 100 }
      await mcpReq.notify({ method: 'notifications/progress', params })
    }
    await pause()
  }
  return { content: [text('Done.')] }
}

/** So that what is sent before arrives by itself. */
function pause(): Promise<void> {
  return new Promise((done) => setTimeout(done, 10))
}
