/** Hosts that people use sign in at the service: mcp-remote and the Inspector, in a real browser. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { packageFile } from '../../all/packages.ts'
import type { Tokens } from '../../sign-in/make-sign-in.ts'
import { freePort } from '../../support/listen.ts'
import { makeApp } from '../../support/make-app.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { KEY, signInVars } from '../mcp/sign-in-host.ts'
import { serveOnLoopback } from '../site/serve-app.ts'
import { sharedBrowser } from '../start-browser.ts'

const SCRIPT = 'return 1 + 1'
const ANSWER = { result: 2, logs: [], files_touched: [] }

const browser = await sharedBrowser()
const vars = await signInVars('acme')
let { app } = await makeApp({ env: vars })
const service = await serveOnLoopback((request) => app.fetch(request))
const address = `${service.origin}/mcp`
afterAll(() => service.stop())

/** A page that reaches this machine only: the Inspector would load fonts from elsewhere. */
async function openPage(): Promise<Page> {
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const isElsewhere = ({ hostname }: URL) => !['127.0.0.1', 'localhost'].includes(hostname)
  await context.route(isElsewhere, (route) => route.abort())
  return context.newPage()
}

/** What a person does on the consent page. */
async function allowIn(page: Page, host: string): Promise<void> {
  await page.waitForURL(`${service.origin}/authorize?**`)
  expect(await page.textContent('h1')).toBe(`Connect ${host}?`)
  await page.fill('#key', KEY)
  await page.click('text=Allow')
}

/** The surroundings of a host: a home of its own, and no way to find a browser. */
const surroundings = (home: string) => ({ HOME: home, PATH: home })

describe('mcp-remote', () => {
  const folder = tempFolder()

  /** @param onConsent Gets the address that mcp-remote asks a person to open. */
  async function runScript(onConsent: (consent: string) => void): Promise<unknown> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [packageFile('mcp-remote/dist/proxy.js'), address],
      env: { ...surroundings(folder), MCP_REMOTE_CONFIG_DIR: folder },
      stderr: 'pipe',
    })
    const lines = createInterface(transport.stderr as Readable)
    lines.on('line', (line) => {
      if (line.startsWith(`${service.origin}/authorize?`)) onConsent(line)
    })
    const ended = once(lines, 'close')
    const client = new Client({ name: 'host', version: '1' })
    onTestFinished(async () => {
      await client.close()
      // A client that could not connect does not wait for its process.
      await ended
    })
    await client.connect(transport)
    const call = { name: 'execute_script', arguments: { script: SCRIPT } }
    return (await client.callTool(call)).structuredContent
  }

  function tokensFile(): string {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const [name] = names.filter((one) => one.endsWith('_tokens.json'))
    return join(folder, name!)
  }
  const readTokens = () => JSON.parse(readFileSync(tokensFile(), 'utf8')) as Tokens

  it('signs in once, renews its tokens, and signs in anew when all secrets changed', async () => {
    const page = await openPage()
    const opened: Promise<string | null>[] = []
    const letIn = async (consent: string) => {
      await page.goto(consent)
      await allowIn(page, 'MCP CLI Proxy')
      await page.waitForURL('http://localhost:*/oauth/callback?**')
      return page.textContent('body')
    }
    const start = () => runScript((consent) => opened.push(letIn(consent)))
    expect(await start()).toEqual(ANSWER)
    expect(await start()).toEqual(ANSWER)
    const tokens = readTokens()
    // As after an hour.
    const spoilt = { ...tokens, access_token: `${tokens.access_token}x` }
    writeFileSync(tokensFile(), JSON.stringify(spoilt))
    expect(await start()).toEqual(ANSWER)
    expect(readTokens().refresh_token).not.toBe(tokens.refresh_token)
    const success = expect.stringContaining('Authorization successful') as string
    expect(await Promise.all(opened)).toEqual([success])
    app = (await makeApp({ env: { ...vars, SIGN_IN_SECRET: 'encrypts from now on' } })).app
    expect(await start()).toEqual(ANSWER)
    expect(await Promise.all(opened)).toEqual([success, success])
  })
})

describe('the Inspector', () => {
  /** @param args As on its command line. */
  async function openInspector(...args: string[]): Promise<Page> {
    const home = tempFolder({ 'mcp.json': '{"mcpServers":{}}' })
    const child = spawn(process.execPath, [packageFile('.bin/mcp-inspector'), ...args], {
      cwd: home,
      env: {
        ...surroundings(home),
        HOST: '127.0.0.1',
        CLIENT_PORT: String(await freePort()),
        MCP_SANDBOX_PORT: '0',
        MCP_APP_ORIGIN_PORT: '0',
        MCP_AUTO_OPEN_ENABLED: 'false',
        MCP_INSPECTOR_SECRET_STORE: 'memory',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const complaints = text(child.stderr)
    const ended = once(child, 'close')
    onTestFinished(async () => {
      child.kill()
      await ended
    })
    const page = await openPage()
    for await (const line of createInterface(child.stdout)) {
      const [shown] = /http:\S+API_TOKEN=\S+/.exec(line) ?? []
      if (shown === undefined) continue
      await page.goto(shown)
      return page
    }
    throw new Error(`The Inspector has ended: ${await complaints}`)
  }

  /** By the keyboard: something lies over the switch. */
  const connect = (page: Page) =>
    page.getByRole('switch', { name: 'Connect or disconnect' }).press('Space')

  async function signInAndRun(page: Page): Promise<void> {
    await connect(page)
    await allowIn(page, 'MCP Inspector')
    await page.getByText('Authorization complete').waitFor()
    await page.locator('label', { hasText: /^Tools$/ }).click()
    await page.getByRole('button', { name: 'execute_script' }).click()
    await page.getByRole('textbox', { name: 'script' }).fill(SCRIPT)
    await page.getByRole('button', { name: 'Execute Tool' }).click()
    await page.getByRole('heading', { name: 'Results' }).waitFor()
    // As text, and as structured content.
    const results = page.locator('.ace_content').filter({ visible: true })
    await expect.poll(() => results.count()).toBe(2)
    for (const shown of await results.allInnerTexts()) expect(JSON.parse(shown)).toEqual(ANSWER)
  }

  it('takes the address in its form, signs in, lists the tools and runs one', async () => {
    const page = await openInspector('--catalog', 'mcp.json')
    await page.getByRole('button', { name: 'Add Servers' }).click()
    await page.getByText('Add manually').click()
    const form = page.getByRole('dialog', { name: 'Add server' })
    await form.getByLabel('Server ID').fill('moonbucket')
    await form.getByRole('textbox', { name: 'Transport' }).click()
    await page.getByRole('option', { name: 'streamable-http' }).click()
    await form.getByLabel('URL').fill(address)
    await form.getByRole('button', { name: 'Add' }).click()
    await form.waitFor({ state: 'hidden' })
    await signInAndRun(page)
  })

  it('does so in the modern era of the protocol', async () => {
    const era = ['--protocol-era', 'modern']
    await signInAndRun(await openInspector(address, '--transport', 'http', ...era))
  })

  it('says so if the person refuses', async () => {
    const page = await openInspector(address, '--transport', 'http')
    await connect(page)
    await page.waitForURL(`${service.origin}/authorize?**`)
    await page.click('text=Refuse')
    const message = page.getByRole('alert', { name: 'Re-authentication required' })
    expect(await message.innerText()).toContain('access_denied')
  })
})
