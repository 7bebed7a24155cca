/** The tokens that tool definitions cost a model in every request. */
import { expect, it } from 'vitest'
import { API_TOOLS } from './support/operations.ts'
import { definitionOf } from '../src/mcp/tool.ts'
import { loadPackage } from './all/packages.ts'
import { makeMcp } from './mcp/make-mcp.ts'
import { testQueue } from './support/run-queue.ts'

const { countTokens } = loadPackage<{ countTokens(text: string): number }>('gpt-tokenizer')

it('all tools together are described in 5,500 tokens', async () => {
  const { tools } = await makeMcp()
  expect(countTokens(JSON.stringify(await tools()))).toBeLessThanOrEqual(5500)
})

it('runs in the background cost 700 tokens more', async () => {
  const all = JSON.stringify(await (await makeMcp({ runQueue: testQueue() })).tools())
  const without = JSON.stringify(await (await makeMcp()).tools())
  expect(countTokens(all) - countTokens(without)).toBeLessThanOrEqual(700)
})

it('the tools for APIs cost 1,300 tokens more at most', () => {
  expect(countTokens(JSON.stringify(API_TOOLS.map(definitionOf)))).toBeLessThanOrEqual(1300)
})
