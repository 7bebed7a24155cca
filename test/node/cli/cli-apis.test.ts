/** APIs in the command: those of `moonbucket.toml`, compiled when they change, or the demo. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { serveShop } from '../../../src/demo/serve-shop.ts'
import { ROOT } from '../../../infra/root.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { CLI, start, writeScript } from './cli-process.ts'
import { isAll } from '../../support/tier.ts'

let folder: string

beforeEach(() => {
  folder = tempFolder()
})

/** In a process, whose cache is of this test. */
function run(script: string, env: Record<string, string> = {}) {
  const vars = Object.entries({ XDG_CACHE_HOME: join(folder, 'cache'), ...env })
  const assignments = vars.map(([name, value]) => `${name}=${value}`)
  const name = writeScript(folder, script)
  return start(folder, 'env', [...assignments, process.execPath, CLI, 'run', name]).ended
}

const COUNT = `local n = 0
  for page in sdk.pages(sdk.shop.list_orders, { limit = 1000, status = "open" }) do n = n + #page.data end
  return n > 2000 and n < 4000`

async function describeShop(more = ''): Promise<void> {
  const { origin } = await serveShop()
  const spec = JSON.stringify(join(ROOT, 'examples/shop.yaml'))
  const settings = `[apis.mine]\nspec = ${spec}\nbase_url = "${origin}"\n${more}`
  writeFileSync(join(folder, 'moonbucket.toml'), settings)
}

it('are the demo where none is described', async () => {
  expect(await run(COUNT)).toEqual({ exitCode: 0, stdout: 'true\n', stderr: '' })
})

it('are those of moonbucket.toml, compiled once', async () => {
  await describeShop()
  const script = 'return sdk.mine.get_order{ id = 7 }.id'
  const first = await run(script)
  const line = 'moonbucket: compiling the APIs of moonbucket.toml\n'
  expect(first).toEqual({ exitCode: 0, stdout: '7\n', stderr: line })
  expect(await run(script)).toEqual({ exitCode: 0, stdout: '7\n', stderr: '' })
  await describeShop('include = ["list_*"]')
  expect(await run('return sdk.mine.get_order == nil, sdk.mine.list_orders ~= nil')).toMatchObject({
    stderr: expect.stringContaining(line) as string,
  })
})

it.runIf(isAll)('take their secrets from the environment or .env', async () => {
  await describeShop('auth = { type = "bearer", secret = "MINE_TOKEN" }')
  const script = 'return sdk.mine.get_order{ id = 7 }.id'
  const missing = 'MINE_TOKEN: is required: it is the secret of the API mine'
  expect(await run(script)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      `moonbucket: ${missing}; set it in the environment or in .env\n`,
    ) as string,
  })
  expect(await run(script, { MINE_TOKEN: 'of-the-environment' })).toMatchObject({ stdout: '7\n' })
  writeFileSync(join(folder, '.env'), 'MINE_TOKEN=of-the-file\n')
  expect(await run(script)).toMatchObject({ exitCode: 0, stdout: '7\n' })
})

it('that do not compile end the command with the reason', async () => {
  writeFileSync(join(folder, 'moonbucket.toml'), '[apis.mine]\nspec = "none.yaml"')
  expect(await run('return 1')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(/^moonbucket: .*none\.yaml/) as string,
  })
})

it('are found and called by an agent over MCP', async () => {
  const client = new Client({ name: 'test', version: '1' })
  const args = [CLI, 'mcp', '--io-dir', join(folder, 'files')]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'ignore' }),
  )
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['search_docs']))
  const found = await client.callTool({ name: 'search_docs', arguments: { query: 'customers' } })
  expect(JSON.stringify(found.structuredContent)).toContain('shop.list_customers')
  const script = 'return #sdk.shop.list_customers{ per_page = 3 }'
  const ran = await client.callTool({ name: 'execute_script', arguments: { script } })
  expect(ran.structuredContent).toMatchObject({ result: 3 })
  await client.close()
})
