/** Runs the programs in the documentation, in every language, and compares the output. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { parse as parseToml } from 'smol-toml'
import { afterAll, describe, expect, it } from 'vitest'
import { ALL_SCOPES } from '../../../../src/caller.ts'
import { exampleCode, linkTokenIn, idIn } from '../../../../infra/build/site/api/examples.ts'
import { API_OPERATIONS } from '../../../../infra/build/site/api/operations.ts'
import { recordAnswers } from '../../../../infra/build/site/api/record-answers.ts'
import {
  codeVariants,
  parseRequest,
  type CodeVariant,
} from '../../../../infra/build/site/api/request-code.ts'
import { CHECK } from '../../../../infra/build/site/docs/agents-page.ts'
import { guideFiles } from '../../../../infra/build/site/docs/guide-files.ts'
import { mcpHosts } from '../../../../src/site/mcp-hosts.ts'
import { PLACEHOLDER_ORIGIN } from '../../../../src/site/placeholder-origin.ts'
import { tempFolder } from '../../../support/temp-folder.ts'
import { everyNth, isAll } from '../../../support/tier.ts'
import { docsPages, shown, withoutColours } from './docs-pages.ts'
import { serveApp } from '../serve-app.ts'

const execute = promisify(execFile)
const pages = docsPages()
const recorded = await recordAnswers()
const service = await serveApp()
afterAll(() => service.stop())

// Python is no part of this project; where it is missing the report says that it was skipped.
/** Optional for `npm test`; under `npm run test:all` its absence is a failure. */
const hasPython = isAll || spawnSync('python3', ['--version']).status === 0
const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const
type Env = Readonly<Record<string, string | undefined>>

/** A refused request must not pass for an answer. */
const CURL_HOME = tempFolder({ '.curlrc': 'fail-with-body\n' })
/** What a program prints is read by a program. */
const PRINT_JSON = `data:text/javascript,console.log = (value) =>
  process.stdout.write(typeof value === 'string' ? value : JSON.stringify(value))`

async function run({ language, code }: CodeVariant, given: Env): Promise<string> {
  const text = code.replaceAll(PLACEHOLDER_ORIGIN, service.origin)
  const env = { PATH: process.env.PATH, CURL_HOME, ...given }
  if (language === 'sh') return (await execute('sh', ['-c', text], { env })).stdout
  if (language === 'py') return (await execute('python3', ['-c', text], { env })).stdout
  const file = join(tempFolder(), 'client.ts')
  writeFileSync(file, `${text}\nexport {}\n`)
  return (await execute(process.execPath, ['--import', PRINT_JSON, file], { env })).stdout
}

/** Without what differs between any two runs. */
function comparable(text: string): unknown {
  const same = text
    .replaceAll(service.origin, PLACEHOLDER_ORIGIN)
    .replaceAll(/token=[\w.…-]+/g, 'token=…')
    .replaceAll(/report_[0-9a-f]{12}/g, 'report_…')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replaceAll(/"request_id": ?"[^"]+"/g, '"request_id":""')
    .replaceAll(/"(fuel|ms|memory_bytes)":\d+/g, '"$1":0')
    .replaceAll(/"etag": ?"v\d+"/g, '"etag":""')
    .replaceAll(/"id": ?"[0-9a-f]{24}"/g, '"id":""')
    .replaceAll(/"id": ?"[0-9a-f]{32}"/g, '"id":""')
    .replaceAll(/"mb_[\w…-]+"/g, '"mb_…"')
    .replaceAll(/"created_by": ?"[^"]+"/g, '"created_by":""')
    .replaceAll(/^id: [0-9a-f]{6}-/gm, 'id: ')
  return /^[[{]/.test(same) ? JSON.parse(same) : same.trimEnd()
}

/** Each language starts a process for each request. */
const SAMPLE = ['execute_script', 'file_write', 'file_read', 'get_file_link', 'open_link']

describe('the reference', () => {
  it.each(LANGUAGES)('gives the shown answers in %s', async (name) => {
    if (name === 'Python' && !hasPython) return
    const isWhole = isAll || name === 'curl'
    const TOKEN = await service.tokenOf({ sub: `reader of ${name}`, scope: ALL_SCOPES })
    const linkTokens = new Map<string, string | undefined>()
    const ids = new Map<string, string | undefined>()
    const page = withoutColours(pages.get('/docs/api')!)
    for (const operation of API_OPERATIONS) {
      if (!isWhole && !SAMPLE.includes(operation.id)) continue
      const variant = exampleCode(operation).find((each) => each.name === name)!
      expect(page).toContain(shown(variant.code))
      const LINK_TOKEN = linkTokens.get(operation.example.linkFrom ?? '')
      const ID = ids.get(operation.example.idFrom ?? '')
      const answer = await run(variant, { TOKEN, LINK_TOKEN, RUN_ID: ID, KEY_ID: ID })
      if (answer.startsWith('{')) {
        linkTokens.set(operation.id, linkTokenIn(JSON.parse(answer)))
        ids.set(operation.id, idIn(JSON.parse(answer)))
      }
      const expected = recorded.get(operation.id)?.text
      if (expected === undefined) expect(JSON.parse(answer)).toHaveProperty('openapi')
      else expect([operation.id, comparable(answer)]).toEqual([operation.id, comparable(expected)])
    }
  })
})

describe('the guides', () => {
  const guides = guideFiles().map((file) => ({
    name: basename(file, '.md'),
    requests: [...readFileSync(file, 'utf8').matchAll(/^```http\n(.*?)\n```$/gms)].map(([, text]) =>
      codeVariants(parseRequest(text!)),
    ),
  }))

  it.each(everyNth(3, LANGUAGES))('have requests that work in %s', async (name) => {
    if (name === 'Python' && !hasPython) return
    let count = 0
    for (const { name: guide, requests } of guides) {
      const TOKEN = await service.tokenOf({
        sub: `reader of ${guide} in ${name}`,
        scope: ALL_SCOPES,
      })
      let RUN_ID: string | undefined
      for (const variants of requests) {
        const variant = variants.find((each) => each.name === name)!
        expect(withoutColours(pages.get(`/docs/${guide}`)!)).toContain(shown(variant.code))
        const answer = await run(variant, { TOKEN, RUN_ID })
        expect(answer).not.toBe('')
        RUN_ID = /"run": ?\{\s*"id": ?"(\w+)"/.exec(answer)?.[1] ?? RUN_ID
        count += 1
      }
    }
    expect(count).toBeGreaterThan(5)
  })

  it('answer as they show', async () => {
    const [execution, , , read] = guides.find(({ name }) => name === 'clients')!.requests
    const TOKEN = await service.tokenOf({ sub: 'a reader of clients in curl' })
    const guide = readFileSync(
      guideFiles().find((file) => file.endsWith('clients.md'))!,
      'utf8',
    )
    const [, answer] = /```json\n(.*?)\n```/s.exec(guide)!
    const real = comparable(await run(execution![0]!, { TOKEN })) as Record<string, object[]>
    for (const row of real.files_touched as { url?: string; url_expires_at?: string }[]) {
      delete row.url
      delete row.url_expires_at
    }
    expect(real).toEqual(comparable(answer!))
    expect(read![0]!.code).toContain('/fs/read')
  })

  it('start a run in the background as they show', async () => {
    const [start] = guides.find(({ name }) => name === 'runs')!.requests
    const TOKEN = await service.tokenOf({ sub: 'a reader of runs in curl' })
    const guide = readFileSync(
      guideFiles().find((file) => file.endsWith('runs.md'))!,
      'utf8',
    )
    const [, answer] = /```json\n(.*?)\n```/s.exec(guide)!
    expect(comparable(await run(start![0]!, { TOKEN }))).toEqual(comparable(answer!))
  })

  it.each([
    ['a method that is none', 'FETCH /x', 'not a request: FETCH /x'],
    ['a broken header', 'GET /x\nAccept', 'not a header: Accept'],
    ['a broken body', 'POST /x\nContent-Type: application/json\n\n{', 'JSON'],
  ])('cannot have a request with %s', (_, text, message) => {
    expect(() => parseRequest(text)).toThrow(message)
  })
})

describe('any text', () => {
  const HARD = `it's "\`\${HOME}\` $(id) \\ """ \n日本`

  it.each(LANGUAGES)('arrives as it is from %s', async (name) => {
    if (name === 'Python' && !hasPython) return
    for (const text of [HARD, `${HARD}\n\n${HARD}\n`]) {
      const variants = codeVariants({
        method: 'POST',
        address: '/execute',
        headers: [
          ['Authorization', 'Bearer $TOKEN'],
          ['Content-Type', 'application/json'],
        ],
        body: { json: { script: 'return args', args: { text, list: [true, null, 1.5] } } },
      })
      const variant = variants.find((each) => each.name === name)!
      const answer = JSON.parse(await run(variant, { TOKEN: await service.tokenOf() })) as object
      expect(answer).toMatchObject({ result: { text } })
    }
  })
})

describe('the entries for agents', () => {
  it.each(
    mcpHosts(PLACEHOLDER_ORIGIN)
      .filter(({ language }) => language !== 'sh')
      .map((host) => [host.name, host] as const),
  )('%s can be read and names the address', (_, { code, language }) => {
    const entry: unknown = language === 'toml' ? parseToml(code) : JSON.parse(code)
    expect(JSON.stringify(entry)).toContain(`"${PLACEHOLDER_ORIGIN}/mcp"`)
    expect(withoutColours(pages.get('/docs/agents')!)).toContain(shown(code))
  })

  it('are checked with a request that lists the tools', async () => {
    const check = { name: 'curl', language: 'sh', code: CHECK } as const
    const answer = await run(check, { MOONBUCKET_TOKEN: await service.tokenOf() })
    expect(answer).toContain('"execute_script"')
  })
})
