/** More commands of the README on `npm run dev`: the first one is run in the first hour. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { packageFile } from '../../all/packages.ts'
import { blocksOf, readDocument as read } from '../../support/documents.ts'
import { guideTools, withApiTools } from '../../support/guide-tools.ts'
import { freePort } from '../../support/listen.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { interrupt, startDev, varsFile } from './dev-server.ts'

const [, curl, , inspector, , , dump] = blocksOf(read('README.md')).map(({ code }) => code)
const folder = tempFolder()
const port = await freePort()
const server = await startDev(port, folder)
afterAll(() => interrupt(server))

/** Runs a command on the service of this test. */
async function run(command: string): Promise<unknown> {
  const here = command
    .replace('127.0.0.1:8787', `127.0.0.1:${port}`)
    .replace('--user alice', `--user alice --vars ${varsFile(folder)}`)
  const { stdout } = await promisify(execFile)('sh', ['-c', here], { cwd: ROOT })
  return JSON.parse(stdout)
}

it('list the tools, as the guide does, with the package that is installed', async () => {
  const { dependencies } = JSON.parse(read('test/all/package.json')) as {
    dependencies: Record<string, string>
  }
  const name = '@modelcontextprotocol/inspector'
  const shown = `npx -y ${name}@${dependencies[name]} `
  expect(inspector).toContain(shown)
  const command = inspector!.replace(shown, `${packageFile('.bin/mcp-inspector')} `)
  const { tools } = (await run(command)) as { tools: { name: string }[] }
  // The local server has the demo API, and with it these tools.
  expect(withApiTools(tools)).toEqual(guideTools())
})

it('dump the orders of the shop', async () => {
  const body = JSON.stringify({ script: dump })
  const command = curl!.replace(/<<'JSON'\n[^]*\nJSON\n/, `<<'JSON'\n${body}\nJSON\n`)
  const { result, files_touched } = (await run(command)) as {
    result: { rows: number; bytes: number }
    files_touched: { name: string; bytes: number; url: string }[]
  }
  expect(result.rows).toBe(12_000)
  expect(files_touched).toMatchObject([{ name: 'output/orders.csv', bytes: result.bytes }])
  const text = await (await fetch(files_touched[0]!.url)).text()
  expect(text.split('\r\n')).toHaveLength(12_002)
  expect(text).toMatch(/^id,customer_id,placed_at,status,country,items,total\r\n1,/)
})
