/** The documentation is true: its links lead somewhere, and what it tells to run runs. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { parse as parseToml } from 'smol-toml'
import { afterAll, describe, expect, it } from 'vitest'
import { HTTP_STATUS } from '../../../src/http/respond-with-error.ts'
import { DEFAULT_LIMITS } from '../../../src/limits.ts'
import { LUA_FUNCTIONS } from '../../../src/lua-reference/lua-functions.ts'
import { curlOf, linkTokenIn } from '../../../infra/build/site/api/examples.ts'
import { PLACEHOLDER_ORIGIN } from '../../../src/site/placeholder-origin.ts'
import { FAILURES } from '../../../infra/build/site/api/failures.ts'
import { API_OPERATIONS } from '../../../infra/build/site/api/operations.ts'
import { buildSite, SITE_FOLDER } from '../../../infra/build/site/build.ts'
import { CURL, PYTHON, TYPESCRIPT } from '../../../infra/build/site/docs/clients-page.ts'
import { SHOWN_ERROR, SHOWN_REFUSAL } from '../../../infra/build/site/docs/errors-page.ts'
import { guideFiles } from '../../../infra/build/site/docs/guide-files.ts'
import { mcpHosts } from '../../../src/site/mcp-hosts.ts'
import { listFiles } from '../../../infra/build/site/sync-folder.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { serveApp } from './serve-app.ts'

const execute = promisify(execFile)

const pages = new Map(
  listFiles(SITE_FOLDER)
    .filter((name) => name.startsWith('docs/'))
    .map((name) => {
      const path = `/${name.replace(/(?:\/index)?\.html$/, '')}`
      return [path, readFileSync(join(SITE_FOLDER, name), 'utf8')] as const
    }),
)

const service = await serveApp()
const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, TOKEN: await service.tokenOf() }
afterAll(() => service.stop())

const hasPython = spawnSync('python3', ['--version']).status === 0
const here = (code: string) => code.replaceAll(PLACEHOLDER_ORIGIN, service.origin)

/** What is shown in a page, as a reader copies it. */
function shown(code: string): string {
  return code.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const withoutColours = (html: string) => html.replaceAll(/<\/?span[^>]*>/g, '')

describe('pages', () => {
  it('are one for each function of Lua and each guide, beside those made from data', () => {
    const lua = LUA_FUNCTIONS.map(({ name }) => `/docs/lua/${name.replace(':', '.')}`)
    const guides = guideFiles().map((file) => `/docs/${basename(file, '.md')}`)
    expect(guides.length).toBeGreaterThan(10)
    const others = ['', '/api', '/clients', '/errors', '/lua'].map((path) => `/docs${path}`)
    expect([...pages.keys()].sort()).toEqual([...lua, ...guides, ...others].sort())
  })

  it('link only to what is there', async () => {
    const targets = new Set<string>()
    for (const [path, html] of pages) {
      for (const [, href] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
        targets.add(new URL(href!, `${service.origin}${path}`).href)
      }
    }
    const broken: string[] = []
    for (const target of targets) {
      const { origin, pathname, hash } = new URL(target)
      const response = await fetch(target)
      const html = await response.text()
      const isThere = response.ok && (hash === '' || html.includes(`id="${hash.slice(1)}"`))
      if (origin !== service.origin || !isThere) broken.push(`${pathname}${hash}`)
    }
    expect(broken).toEqual([])
  })

  it('are all in the navigation and on the first page, but those of single functions', () => {
    const overview = pages.get('/docs')!
    const [nav, main] = [/<nav[^]*?<\/nav>/, /<main[^]*<\/main>/].map(
      (part) => part.exec(overview)![0],
    )
    const single = [...pages.keys()].filter((path) => !path.startsWith('/docs/lua/'))
    expect(single.filter((path) => !nav!.includes(`href="${path}"`))).toEqual([])
    const linked = single.filter((path) => path !== '/docs')
    expect(linked.filter((path) => !main!.includes(`href="${path}"`))).toEqual([])
  })

  it('show guides as they are written', () => {
    for (const file of guideFiles()) {
      const source = readFileSync(file, 'utf8')
      const html = withoutColours(pages.get(`/docs/${basename(file, '.md')}`)!)
      for (const [, code] of source.matchAll(/^```\w*\n(.*?)\n```$/gms)) {
        expect(html).toContain(`<code>${shown(code!)}</code>`)
      }
      for (const [, title] of source.matchAll(/^## (.+)$/gm))
        expect(html).toContain(`">${title}</a></h2>`)
    }
  })

  it('hold nothing that their policy forbids', () => {
    for (const html of pages.values()) {
      expect(html).not.toMatch(/<style|\sstyle=|<script(?![^>]* src="\/assets\/)|\son\w+=/)
    }
  })

  it('name every failure and every limit', () => {
    for (const { code, status } of FAILURES) {
      expect(pages.get('/docs/errors')).toContain(
        `>${code}</code></th><td role="cell" data-label="Status">${status}</td>`,
      )
    }
    expect(FAILURES.map(({ code }) => code)).toEqual(
      expect.arrayContaining(Object.keys(HTTP_STATUS)),
    )
    for (const [name, value] of Object.entries(DEFAULT_LIMITS)) {
      const number = (value as number).toLocaleString('en')
      expect(pages.get('/docs/limits')).toContain(
        `<code>${name}</code></th><td role="cell" data-label="Default">${number}</td>`,
      )
    }
  })

  it('show failures as they are', async () => {
    const answer = async (path: string, init: RequestInit) => {
      const headers = { 'X-Request-Id': '5f0c2a9e', ...init.headers }
      return (await fetch(service.origin + path, { method: 'POST', ...init, headers })).json()
    }
    expect(await answer('/execute', { body: '{}' })).toEqual(JSON.parse(SHOWN_ERROR))
    const missing = {
      headers: { Authorization: `Bearer ${env.TOKEN}` },
      body: '{"path": "notes/today.txt"}',
    }
    expect(await answer('/fs/read', missing)).toEqual(JSON.parse(SHOWN_REFUSAL))
  })

  it('are made anew only when something has changed', async () => {
    expect(await buildSite()).toBe(false)
  })
})

describe('the commands of the API', () => {
  const linkTokens = new Map<string, string | undefined>()

  it.each(API_OPERATIONS.map((operation) => [operation.id, operation] as const))(
    '%s runs as it stands',
    async (id, operation) => {
      const curl = curlOf(operation)
      expect(withoutColours(pages.get('/docs/api')!)).toContain(shown(curl))
      const LINK_TOKEN = linkTokens.get(operation.example.linkFrom ?? '')
      const command = `${here(curl)} --fail-with-body`
      const { stdout } = await execute('sh', ['-c', command], { env: { ...env, LINK_TOKEN } })
      expect(stdout).not.toBe('')
      if (stdout.startsWith('{')) linkTokens.set(id, linkTokenIn(JSON.parse(stdout)))
    },
  )
})

describe('the clients', () => {
  it('curl', async () => {
    const { stdout } = await execute('sh', ['-c', here(CURL)], { env })
    expect(JSON.parse(stdout)).toEqual({ result: 3, logs: [], files_touched: [] })
  })

  it('TypeScript', async () => {
    const file = join(tempFolder(), 'client.ts')
    writeFileSync(file, `${here(TYPESCRIPT)}\nexport {}\n`)
    const { stdout } = await execute(process.execPath, [file], { env })
    expect(stdout).toBe('3 [] []\n')
  })

  // Python is no part of this project; where it is missing the report says that this was skipped.
  it.skipIf(!hasPython)('Python', async () => {
    const { stdout } = await execute('python3', ['-c', here(PYTHON)], { env })
    expect(stdout).toBe('3 [] []\n')
  })

  it.each(
    mcpHosts(PLACEHOLDER_ORIGIN)
      .filter(({ language }) => language !== 'sh')
      .map((host) => [host.name, host] as const),
  )('the entry for %s can be read and names the address', (_, { code, language }) => {
    const entry: unknown = language === 'toml' ? parseToml(code) : JSON.parse(code)
    expect(JSON.stringify(entry)).toContain(`"${PLACEHOLDER_ORIGIN}/mcp"`)
    expect(withoutColours(pages.get('/docs/clients')!)).toContain(shown(code))
  })
})
