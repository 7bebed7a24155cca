/** The consent page in a real browser: in both schemes, on a phone, by the keyboard, and in a frame. */
import { createServer } from 'node:http'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../support/listen.ts'
import { allow, KEY, signInVars } from '../mcp/sign-in-host.ts'
import { axeFaults, widthFaults } from '../site/axe-faults.ts'
import { serveApp } from '../site/serve-app.ts'
import { DESKTOP, shoot } from '../site/start-pages.ts'
import { sharedBrowser } from '../start-browser.ts'

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true }
const SCHEMES = ['light', 'dark'] as const

const AUTH_ISSUER = 'https://login.example.com'
const both = { SIGN_IN: 'keys,issuer', AUTH_ISSUER, SIGN_IN_CLIENT_ID: 'moonbucket' }
const service = await serveApp({ env: { ...(await signInVars('acme')), ...both } })
const browser = await sharedBrowser()
/** The program of the person, and a page that frames ours. */
const arrived: string[] = []
const host = await listen(
  createServer((request, response) => {
    if (request.url === '/framing') {
      response.setHeader('Content-Type', 'text/html')
      return response.end(`<iframe src="${framed}" width="600" height="600"></iframe>`)
    }
    if (request.url!.startsWith('/callback')) arrived.push(request.url!)
    response.end('arrived')
  }),
)
let framed = ''

afterAll(async () => {
  await service.stop()
  await host.stop()
})

async function pageFor(client_name: string, redirect_uri = `${host.origin}/callback`) {
  const response = await fetch(`${service.origin}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name, redirect_uris: [redirect_uri] }),
  })
  const { client_id } = (await response.json()) as { client_id: string }
  const page = new URL(`${service.origin}/authorize`)
  page.search = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    state: 'of the host',
  }).toString()
  return page
}

async function open(address: URL | string, options: BrowserContextOptions = DESKTOP) {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(String(address))
  return page
}

async function faultsOf(page: Page): Promise<string[]> {
  // The page's policy would stop axe, too.
  const blank = await page.context().newPage()
  await blank.setContent(await page.content())
  return [...(await widthFaults(page)), ...(await axeFaults(blank))]
}

describe.each(SCHEMES)('in %s', (colorScheme) => {
  it.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('on a %s has no faults, before and after a wrong key', async (size, options) => {
    const address = await pageFor('Claude for the people of a very long company name')
    const page = await open(address, { ...options, colorScheme })
    await shoot(page, `consent-${size}-${colorScheme}.png`, { fullPage: true })
    expect(await faultsOf(page)).toEqual([])
    await page.fill('#key', 'wrong')
    await page.click('text=Allow')
    await page.waitForSelector('[role=alert]')
    await shoot(page, `consent-wrong-${size}-${colorScheme}.png`, { fullPage: true })
    expect(await faultsOf(page)).toEqual([])
  })
})

it('takes the key by the keyboard, without scripts, and goes back to the program', async () => {
  const page = await open(await pageFor('Host'), { ...DESKTOP, javaScriptEnabled: false })
  await page.keyboard.press('Tab')
  await page.keyboard.type(KEY)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${host.origin}/callback?**`)
  const answer = new URL(page.url()).searchParams
  expect([answer.get('state'), answer.get('iss')]).toEqual(['of the host', service.origin])
  expect(answer.get('code')).toBeTruthy()
  expect(arrived).toHaveLength(1)
})

it('is left by a press on Refuse, without a key', async () => {
  const page = await open(await pageFor('Host'))
  await page.click('text=Refuse')
  await page.waitForURL(`${host.origin}/callback?**`)
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
})

it('shows nothing in a frame', async () => {
  framed = (await pageFor('Host')).href
  const page = await open(`${host.origin}/framing`)
  const frame = page.frames().find((one) => one !== page.mainFrame())!
  expect(await frame.content()).not.toContain('API key')
  // The address itself is good.
  expect((await allow(new URL(framed), fetch)).pathname).toBe('/callback')
})
