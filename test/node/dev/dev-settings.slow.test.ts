/** `npm run dev` while its settings change, and how it refuses bodies: in a copy of the repository. */
import { appendFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { freePort } from '../../support/listen.ts'
import { interrupt, startDev, varsFile, type DevServer } from './dev-server.ts'

const COPIED = ['docs', 'examples', 'infra', 'src', 'dist/site', 'dist/site.inputs']
const COPIED_FILES = ['package.json', 'package-lock.json', 'wrangler.toml']

const SPEC = `
openapi: 3.0.0
info: { title: Pets, version: '1' }
servers: [{ url: https://api.example.com }]
paths: { /pets: { get: { operationId: listPets, responses: { '200': { description: Pets } } } } }
`

const folder = tempFolder()
const root = join(folder, 'clone')
let origin: string
let server: DevServer

beforeAll(async () => {
  for (const name of [...COPIED, ...COPIED_FILES]) {
    cpSync(join(ROOT, name), join(root, name), {
      recursive: true,
      filter: (path) => !path.includes('/infra/check/node_modules'),
    })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  writeFileSync(join(root, 'pets.yaml'), SPEC)
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  server = await startDev(port, folder, { root })
})

afterAll(() => interrupt(server))

it('npm run dev answers with what is wrong with changed settings, and serves again once mended', async () => {
  const settings = join(root, 'moonbucket.toml')
  writeFileSync(settings, '[apis.pets]\nspec = "cats.yaml"\n')
  await untilHealth(500, 'cats.yaml: no such file')

  const secret = 'auth = { type = "bearer", secret = "PETS_TOKEN" }'
  writeFileSync(settings, `[apis.pets]\nspec = "pets.yaml"\n${secret}\n`)
  const missing = 'PETS_TOKEN: is required: it is the secret of the API pets'
  await untilHealth(500, `${missing}; set it in ${varsFile(folder)}`)

  appendFileSync(varsFile(folder), 'PETS_TOKEN=x\n')
  await untilHealth(200)

  appendFileSync(varsFile(folder), 'FUEL=much\n')
  await untilHealth(500, 'FUEL: must be a whole number above 0')

  appendFileSync(varsFile(folder), 'FUEL=1000000\n')
  await untilHealth(200)
})

it.each([
  ['POST', '/execute', 5_000_000],
  ['POST', '/execute', 30_000_000],
  ['PUT', '/fs/content?path=x.bin', 12_000_000],
  ['POST', '/mcp', 1_000_000],
])(
  'npm run dev, when it refuses a body says why to %s %s of %d bytes and keeps the connection',
  async (method, path, bytes) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { token } = (await (
      await fetch(`${origin}/local-token.json`, { headers: { Origin: origin } })
    ).json()) as { token: string }
    const authorization = path === '/mcp' ? 'Bearer none' : `Bearer ${token}`
    const expected = path === '/mcp' ? 401 : 413
    for (const isAnnounced of [true, false, true]) {
      const body = Buffer.alloc(bytes, 'a')
      const headers = { authorization, ...(isAnnounced && { 'content-length': String(bytes) }) }
      expect(await statusOf({ agent, method, path, headers }, body)).toBe(expected)
      expect(await statusOf({ agent, method: 'GET', path: '/health' })).toBe(200)
    }
    agent.destroy()
  },
)

it('rebuilds the site when a file changes that only the API is made of', async () => {
  const stamp = join(root, 'dist/site.inputs')
  const before = readFileSync(stamp, 'utf8')
  appendFileSync(join(root, 'src/links/link-token.ts'), '// Changed.\n')
  while (readFileSync(stamp, 'utf8') === before) await sleep(200)
})

interface Sent {
  readonly agent: Agent
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
}

/** `fetch` does not say which connection it uses. */
function statusOf({ path, ...options }: Sent, body?: Buffer): Promise<number | undefined> {
  return new Promise((done, fail) => {
    const sent = request(`${origin}${path}`, options, (response) => {
      response.resume()
      response.on('end', () => done(response.statusCode))
    })
    sent.on('error', fail)
    sent.end(body)
  })
}

async function untilHealth(status: number, message?: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${origin}/health`).catch(() => undefined)
    const body = (await response?.json().catch(() => undefined)) as
      { error?: { message: string } } | undefined
    if (response?.status === status && body?.error?.message === message) return
    await sleep(200)
  }
}
