/** The tokens that tool definitions cost a model in every request. */
import { expect, it } from 'vitest'
import { API_TOOLS } from './support/operations.ts'
import { definitionOf } from '../src/mcp/tool.ts'
import { loadPackage } from './all/packages.ts'
import { makeMcp } from './mcp/make-mcp.ts'
import { testQueue } from './support/run-queue.ts'

const { countTokens } = loadPackage<{ countTokens(text: string): number }>('gpt-tokenizer')

it('all tools together, also for runs in the background and quotas, take 5,500 tokens', async () => {
  const env = { QUOTA_BYTES: '1000000' }
  const { tools } = await makeMcp({ runQueue: testQueue(), env })
  const definitions = await tools()
  expect(definitions.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['get_run', 'list_runs', 'cancel_run', 'get_usage']),
  )
  expect(countTokens(JSON.stringify(definitions))).toBeLessThanOrEqual(5500)
})

it('the tools for APIs cost 1,300 tokens more at most', () => {
  expect(countTokens(JSON.stringify(API_TOOLS.map(definitionOf)))).toBeLessThanOrEqual(1300)
})
