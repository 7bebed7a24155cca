/** Calls tools of the service as a model's host does, with nothing of the protocol left out. */
import { expect } from 'vitest'
import { ORIGIN, type Claims } from '../../support/make-app.ts'
import type { Callable } from '../../support/call-route.ts'

const REVISION = '2025-11-25'

/** One message of the protocol, and the answer to it. */
export async function askMcp(
  { app, tokenOf }: Callable,
  method: string,
  params: object = {},
  claims: Claims = {},
): Promise<Record<string, unknown>> {
  const response = await app.request(`${ORIGIN}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await tokenOf(claims)}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': REVISION,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  const [, data = text] = /^data: (.+)$/m.exec(text) ?? []
  return JSON.parse(data) as Record<string, unknown>
}

/** The result of a tool; a refusal of the protocol fails the test. */
export async function callTool(
  callable: Callable,
  name: string,
  args: object = {},
  meta?: object,
): Promise<Record<string, unknown>> {
  const params = { name, arguments: args, ...(meta && { _meta: meta }) }
  const message = await askMcp(callable, 'tools/call', params)
  expect(message.error).toBeUndefined()
  return message.result as Record<string, unknown>
}
