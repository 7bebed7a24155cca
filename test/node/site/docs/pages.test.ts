/** The documentation is complete: its links work, and its tables omit nothing. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { HTTP_STATUS } from '../../../../src/http/respond-with-error.ts'
import { limitTable } from '../../../support/limit-tables.ts'
import { LUA_FUNCTIONS } from '../../../../src/lua-reference/lua-functions.ts'
import { FAILURES } from '../../../../infra/build/site/api/failures.ts'
import { buildSite } from '../../../../infra/build/site/build.ts'
import { SHOWN_ERROR, SHOWN_REFUSAL } from '../../../../infra/build/site/docs/errors-page.ts'
import { guideFiles } from '../../../../infra/build/site/docs/guide-files.ts'
import { docsPages, mainOf, read, shown, withoutColours } from './docs-pages.ts'
import { serveApp } from '../serve-app.ts'

const pages = docsPages()
const service = await serveApp()
const token = await service.tokenOf()
afterAll(() => service.stop())

describe('pages', () => {
  it('are one for each function of Lua and each guide, beside those made from data', () => {
    const lua = LUA_FUNCTIONS.map(({ name }) => `/docs/lua/${name.replace(':', '.')}`)
    const guides = guideFiles().map((file) => `/docs/${basename(file, '.md')}`)
    expect(guides.length).toBeGreaterThan(10)
    const others = ['', '/agents', '/api', '/errors', '/lua'].map((path) => `/docs${path}`)
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
    const [nav] = /<nav class="navigation"[^]*?<\/nav>/.exec(overview)!
    const main = mainOf(overview)
    const single = [...pages.keys()].filter((path) => !path.startsWith('/docs/lua/'))
    expect(single.filter((path) => !nav.includes(`href="${path}"`))).toEqual([])
    const linked = single.filter((path) => path !== '/docs')
    expect(linked.filter((path) => !main.includes(`href="${path}"`))).toEqual([])
  })

  it('show guides as they are written', () => {
    for (const file of guideFiles()) {
      const source = readFileSync(file, 'utf8')
      const html = withoutColours(pages.get(`/docs/${basename(file, '.md')}`)!)
      for (const [, language, code] of source.matchAll(/^```(\w*)\n(.*?)\n```$/gms)) {
        if (language !== 'http') expect(html).toContain(`<code>${shown(code!)}</code>`)
      }
      for (const [, title] of source.matchAll(/^## (.+)$/gm))
        expect(html).toContain(`">${title}</a></h2>`)
    }
  })

  it('hold nothing that their policy forbids', () => {
    for (const html of [...pages.values(), read('docs-not-found.html')]) {
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
    for (const [title, byDefault] of limitTable()) {
      expect(pages.get('/docs/limits')).toContain(
        `${title}</th><td role="cell" data-label="Default">${byDefault}</td>`,
      )
    }
  })

  it('explain every field of the API, with limits that mean something', () => {
    const rows = [...pages.get('/docs/api')!.matchAll(/data-label="Meaning">(.*?)<\/td>/g)]
    const meanings = rows.map(([, html]) => html!.replace(/<span class="optional">.*?<\/span>/, ''))
    expect(meanings.length).toBeGreaterThan(100)
    expect(meanings.filter((text) => /^\s*$|At least [01]\./.test(text))).toEqual([])
    const page = pages.get('/docs/api')!
    expect(page).toContain('The default of 2,500,000,000 is about 10 s of computing')
    expect(page).toContain('From 60 (1 minute) to 604,800 (7 days).')
    expect(page).toContain('At most 100,000,000 (100 MB).')
    expect(page).not.toContain('integer,null')
  })

  it('show failures as they are', async () => {
    const answer = async (path: string, init: RequestInit) => {
      const headers = { 'X-Request-Id': '5f0c2a9e', ...init.headers }
      return (await fetch(service.origin + path, { method: 'POST', ...init, headers })).json()
    }
    expect(await answer('/execute', { body: '{}' })).toEqual(JSON.parse(SHOWN_ERROR))
    const missing = {
      headers: { Authorization: `Bearer ${token}` },
      body: '{"path": "notes/today.txt"}',
    }
    expect(await answer('/fs/read', missing)).toEqual(JSON.parse(SHOWN_REFUSAL))
  })

  it('are made anew only when something has changed', async () => {
    expect(await buildSite()).toBe(false)
  })
})
