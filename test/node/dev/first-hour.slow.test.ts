/**
 * A newcomer's first hour: the commands of the README and the guides, in this order, in a fresh
 * clone. They are taken from the documents, with free ports and folders of the test.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf, blockWith, section, shownAnswer } from '../../support/documents.ts'
import { freePort, listen, type Listening } from '../../support/listen.ts'
import type { Answer } from '../../support/make-app.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { interrupt, PRINTED_CURL, type Running } from './dev-server.ts'
import { FreshClone } from './fresh-clone.ts'

const MINUTE = 60_000
const MAX_MEGABYTES = 600

const ITEM = { sku: 'A1', quantity: 3 }
const CALL = 'return sdk.stock.get_item{ sku = "A1" }'

describe('the first hour', { timeout: 5 * MINUTE }, () => {
  const parent = tempFolder()
  const clone = new FreshClone(parent)
  const read = (name: string) => readFileSync(join(clone.folder, name), 'utf8')
  const readme = read('README.md')
  const apis = section(read('docs/apis.md'), 'First call')
  const deploy = read('docs/deploy.md')
  const [start, curl, answer] = blocksOf(section(readme, 'Quick start')).map(({ code }) => code)
  const [install, dev] = start!.trim().split(' && ')
  let stock: Listening
  let server: Running
  let port: number

  beforeAll(async () => {
    stock = await listen(
      createServer((request, response) => {
        response.writeHead(request.url === `/items/${ITEM.sku}` ? 200 : 404, {
          'Content-Type': 'application/json',
        })
        response.end(JSON.stringify(ITEM))
      }),
    )
  })

  afterAll(async () => {
    clone.kill()
    await stock.stop()
    // Too much to be removed when the process exits.
    await rm(parent, { recursive: true, force: true })
    console.info(clone.report())
  }, MINUTE)

  /** A command for the server of this test. */
  const here = (code: string) => code.replaceAll('127.0.0.1:8787', `127.0.0.1:${port}`)

  /** The request of the README, with another script. */
  async function post(script: string): Promise<Answer> {
    const code = curl!.replace(/"script": ".*"/, () => `"script": ${JSON.stringify(script)}`)
    return JSON.parse(await clone.run(here(code))) as Answer
  }

  it('npm ci installs little, and every script runs on the Node that it brings', async () => {
    expect(install).toBe('npm ci')
    expect(await clone.timed(install!, () => clone.run(install!))).toMatch(/^added \d+ packages/m)
    const megabytes = Number.parseInt(await clone.run('du -sm node_modules'))
    expect(megabytes).toBeLessThanOrEqual(MAX_MEGABYTES)
    expect(await clone.run('npx node --version')).toMatch(/^v24\./)
  })

  it('npm run dev answers the first request as shown', async () => {
    port = await freePort()
    const stdout = await clone.timed('first answer (npm run dev, then curl)', async () => {
      server = await clone.start(PRINTED_CURL, `${dev} -- --port ${port}`)
      return clone.run(here(curl!))
    })
    const real = JSON.parse(stdout) as Answer
    expect(real).toEqual(shownAnswer(here(answer!)))
    const { url, link } = real.files_touched[0]!
    for (const address of [url!, link!]) {
      expect(await clone.run(`curl -s '${address}'`)).toBe('Hi Ada')
    }
    expect(await clone.run(here('curl -s http://127.0.0.1:8787/docs'))).toContain('<h1')
  })

  it('the command runs a script, and the examples', async () => {
    const code = blockWith(section(readme, 'Command line'), 'sh')
    const printed = await clone.timed('first run of the command', () => clone.run(code))
    expect(JSON.parse(printed)).toEqual(['hello.txt'])
    const example = blockWith(read('examples/README.md'), 'sh')
    const files = readdirSync(join(clone.folder, 'examples'))
    for (const name of files.filter((file) => file.endsWith('.lua')).sort()) {
      expect(await clone.run(example.replace('plot.lua', name))).not.toBe('')
    }
  })

  it('a script calls an API that was just described', async () => {
    const [place] = /specs\/\w+\.yaml/.exec(apis)!
    const file = join(clone.folder, place)
    mkdirSync(dirname(file))
    const called = await clone.timed('API of one’s own (specification, command)', async () => {
      writeFileSync(file, blockWith(apis, 'yaml').replace(/http:\S+:\d+/, stock.origin))
      writeFileSync(join(clone.folder, 'moonbucket.toml'), blockWith(apis, 'toml'))
      return clone.run(blockWith(apis, 'sh'))
    })
    expect(JSON.parse(called)).toEqual(ITEM)
  })

  it('the running service has it, and follows the specification', async () => {
    // While it reloads, there may be no answer.
    const untilResult = (script: string, result: unknown) =>
      expect
        .poll(() => post(script).catch(() => undefined), { timeout: MINUTE })
        .toMatchObject({ result })
    await clone.timed('the same through the running service', () => untilResult(CALL, ITEM))
    const file = join(clone.folder, 'specs/stock.yaml')
    const spec = readFileSync(file, 'utf8')
    writeFileSync(file, spec.replace('getItem', 'findItem'))
    await untilResult('return {sdk.stock.find_item ~= nil}', [true])
    writeFileSync(file, spec)
    await untilResult(CALL, ITEM)
  })

  it('a local agent calls it over stdio', async () => {
    const { command, args } = entryOf<{ command: string; args: string[] }>(
      blockWith(read('docs/command.md'), 'json').replace('/home/me/moonbucket', clone.folder),
    )
    // Hosts start it anywhere.
    const how = { command, args, cwd: parent, env: clone.env as Record<string, string> }
    const transport = new StdioClientTransport({ ...how, stderr: 'ignore' })
    const result = await clone.timed('local agent (stdio)', () => callAsAgent(transport))
    expect(result).toEqual(ITEM)
  })

  it('a remote agent calls it over HTTP', async () => {
    const [, tokenCommand] = /\$\((npm run .*?)\)/.exec(curl!)!
    const result = await clone.timed('remote agent (HTTP)', async () => {
      const token = (await clone.run(tokenCommand!)).trim()
      const { url, headers } = entryOf<{ url: string; headers: Record<string, string> }>(
        blockWith(section(readme, 'MCP'), 'json')
          .replace('https://moonbucket.example', `http://127.0.0.1:${port}`)
          .replace('<token>', token),
      )
      const requestInit = { headers }
      return callAsAgent(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
    })
    expect(result).toEqual(ITEM)
    await interrupt(server)
  })

  it('npm start keeps files in a folder, and passes the check of a deployment', async () => {
    port = await freePort()
    const check = blockWith(section(deploy, 'Check the deployment'), 'sh')
    const printed = await clone.timed('Node server on a folder, and its check', async () => {
      await clone.run(blockWith(section(deploy, 'Create the secrets'), 'sh'))
      const code = blockWith(section(deploy, 'Node'), 'sh', 'npm start')
      const listening = /"event":"listening"/
      const started = code.replace('/srv/moonbucket', join(parent, 'srv'))
      server = await clone.start(listening, `export PORT=${port}\n${started}`)
      return clone.run(check.replace(/^url=\S+/m, `url=http://127.0.0.1:${port}`))
    })
    const [healthy, ready, ran, file, status] = printed.split('\n')
    expect([healthy, ready]).toEqual(['{"status":"ok"}', '{"status":"ready"}'])
    expect(JSON.parse(ran!)).toMatchObject({ result: 2 })
    expect([file, status]).toEqual(['it works', '401'])
    const stored = readdirSync(join(parent, 'srv'), { recursive: true }).map(String)
    expect(stored.filter((name) => name.endsWith('output/check.txt'))).toHaveLength(1)
    await interrupt(server)
  })

  it('the secrets become what the Lambda template reads', async () => {
    const [command] = /^ *npx node .*parseEnv.*\\\n.*$/m.exec(deploy)!
    await clone.run(command)
    const secret = JSON.parse(readFileSync(join(parent, 'moonbucket.json'), 'utf8')) as object
    expect(Object.keys(secret).sort()).toEqual(['AUTH_SECRET', 'LINK_SECRET'])
  })

  it('npm run dev:lambda answers the same requests', async () => {
    expect(section(deploy, 'AWS Lambda')).toContain('`npm run dev:lambda`')
    port = await freePort()
    const stdout = await clone.timed('Lambda on this machine', async () => {
      server = await clone.start(PRINTED_CURL, `npm run dev:lambda -- --port ${port}`)
      return clone.run(here(curl!))
    })
    const { files_touched: files, ...rest } = JSON.parse(stdout) as Answer
    expect(rest).toEqual({ result: 2, logs: ['ok'] })
    expect(await clone.run(`curl -sL '${files[0]!.link}'`)).toBe('Hi Ada')
    expect(await post(CALL)).toMatchObject({ result: ITEM })
    await interrupt(server)
  })

  it('npm run build builds everything that is deployed', async () => {
    expect(read('CONTRIBUTING.md')).toContain('`npm run build`')
    await clone.run('npm run build')
    const built = readdirSync(join(clone.folder, 'dist'))
    expect(built).toEqual(expect.arrayContaining(['cli', 'lambda', 'node', 'site', 'workers']))
  })

  it('prints nothing that worries, and leaves neither files for git nor processes', async () => {
    expect(clone.alarms()).toEqual([])
    const status = execFileSync('git', ['status', '--short'], { cwd: clone.folder })
    expect(String(status)).toBe('?? moonbucket.toml\n?? specs/\n')
    await expect.poll(() => clone.processes(), { timeout: MINUTE / 2 }).toEqual([])
  })
})

/** The only server in the settings of an agent. */
function entryOf<Entry>(settings: string): Entry {
  const { mcpServers } = JSON.parse(settings) as { mcpServers: Record<string, Entry> }
  return mcpServers.moonbucket!
}

/** What the script returns that calls the API. */
async function callAsAgent(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
): Promise<unknown> {
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('list_apis')
    const called = await client.callTool({ name: 'execute_script', arguments: { script: CALL } })
    return (called.structuredContent as { result: unknown }).result
  } finally {
    await client.close()
  }
}
