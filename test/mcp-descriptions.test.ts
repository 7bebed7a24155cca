/** What clients and hosts have to be able to read before a model is asked anything. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { expect, it } from 'vitest'
import { makeMcp } from './mcp/make-mcp.ts'

it('the instructions are shorter than what hosts cut', async () => {
  const { result } = await makeMcp()
  const { instructions } = await result<{ instructions: string }>('server/discover')
  const bytes = new TextEncoder().encode(instructions).length
  expect(bytes).toBeGreaterThan(200)
  expect(bytes).toBeLessThan(2048)
})

it('every schema is one that clients can compile', async () => {
  const { tools } = await makeMcp()
  const validator = new AjvJsonSchemaValidator()
  for (const { name, inputSchema, outputSchema } of await tools()) {
    for (const schema of [inputSchema, outputSchema]) {
      const { valid } = validator.getValidator(schema)({ nonsense: 1 })
      expect([name, valid]).toEqual([name, false])
    }
  }
})
