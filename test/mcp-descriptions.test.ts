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
    const wrong = Object.entries(outputSchema!.properties!).map(([field, schema]) => {
      const { type } = schema as { type: string | string[] }
      return [field, type.includes('array') ? 1 : []]
    })
    const { valid: isTaken } = validator.getValidator(inputSchema)({ nonsense: 1 })
    const { valid: isGiven } = validator.getValidator(outputSchema!)(Object.fromEntries(wrong))
    expect({ name, isTaken, isGiven }).toEqual({ name, isTaken: false, isGiven: false })
  }
})
