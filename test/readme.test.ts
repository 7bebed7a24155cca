/** What the README and the guides say is true: tables and blocks of code. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../src/config.ts'
import { API_OPERATIONS } from '../infra/build/site/api/operations.ts'
import { guideFiles } from '../infra/build/site/docs/guide-files.ts'
import { anchorOf } from '../infra/build/site/docs/html.ts'
import {
  DEFAULT_LIMITS,
  FUEL_PER_SECOND,
  MAX_EXECUTE_BODY_BYTES,
  MAX_FS_BODY_BYTES,
  MAX_MCP_BODY_BYTES,
  STORING_GRACE_MS,
} from '../src/limits.ts'
import { cellsIn, limitFields, limitSettingsTable, limitTable } from './support/limit-tables.ts'
import { makeMcp } from './mcp/make-mcp.ts'
import { guideTools, withApiTools } from './support/guide-tools.ts'
import { ROOT } from '../infra/root.ts'
import { blocksOf, readDocument as read, section, shownAnswer } from './support/documents.ts'
import { testQueue } from './support/run-queue.ts'
import { runLua } from './support/run-lua.ts'
import { tempFolder } from './support/temp-folder.ts'

const readme = read('README.md')
const guides = guideFiles().map((file) => relative(ROOT, file))
const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'DEPENDENCIES.md',
  'SECURITY.md',
  'examples/README.md',
  ...guides,
]

/** Cells of the first column, of every table. */
const firstCells = (text: string) =>
  [...text.matchAll(/^\|([^|]+)\|/gm)].map(([, cell]) => cell!.trim())

describe('the documents', () => {
  it('list every limit, its default and what happens there', () => {
    const page = read('docs/limits.md')
    expect(cellsIn(section(page, 'Limits of a run'))).toEqual(limitTable())
    const main = cellsIn(section(readme, 'Limits'))
    expect(main).toHaveLength(limitFields().length)
    expect(limitTable()).toEqual(expect.arrayContaining(main))
    const settings = section(read('docs/settings.md'), 'Limits of a run')
    expect(cellsIn(settings)).toEqual(limitSettingsTable())
  })

  it('name the fields with which a request lowers limits', () => {
    const text = section(read('docs/limits.md'), 'Lower them for one run')
    expect(text.match(/limits\.\w+/g)).toEqual(limitFields())
    const short = limitFields().map((name) => name.replace('limits.', ''))
    const sentence = /`limits` may contain ([^.]+)\./.exec(read('docs/http.md'))![1]!
    expect(sentence.match(/\w+(?=`)/g)!.sort()).toEqual(short.sort())
  })

  it('say what limits requests and what fuel is worth', () => {
    const page = read('docs/limits.md').replaceAll(/\s+/g, ' ')
    const number = (value: number) => value.toLocaleString('en')
    expect(page).toContain(`about ${DEFAULT_LIMITS.fuel / FUEL_PER_SECOND} seconds of computing`)
    expect(page).toContain(`\`/execute\` may have ${number(MAX_EXECUTE_BODY_BYTES)} bytes`)
    expect(MAX_MCP_BODY_BYTES).toBe(MAX_FS_BODY_BYTES)
    expect(page).toContain(`\`/fs\` and \`/mcp\` may have ${number(MAX_FS_BODY_BYTES)}`)
    expect(page).toContain(`have ${STORING_GRACE_MS / 1000} more seconds to be stored`)
  })

  it('list every setting and no other', () => {
    const cells = firstCells(read('docs/settings.md'))
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z\d_]+)`/g)])
    expect(named.map(([, name]) => name).sort()).toEqual(SETTINGS.toSorted())
    const first = section(readme, 'Settings').match(/(?<=`)[A-Z\d]+_[A-Z\d_]+(?=`)/g)!
    expect(first.length).toBeGreaterThan(2)
    expect(first.filter((name) => !SETTINGS.includes(name as never))).toEqual([])
  })

  it('list every request of the API', () => {
    const known = API_OPERATIONS.map(({ method, path }) =>
      `${method.toUpperCase()} ${path}`.replace(/^POST \/fs\/\w+$/, 'POST /fs/<operation>'),
    )
    const cells = firstCells(section(readme, 'HTTP API'))
    const listed = cells.flatMap((cell) => cell.match(/(?<=`)[A-Z]+ \/[^`?]*/g) ?? [])
    const pages = ['GET /docs', 'GET /', 'GET /openapi.json']
    expect(listed.sort()).toEqual([...new Set([...known, ...pages])].sort())
    const operations = API_OPERATIONS.flatMap(
      ({ path }) => /^\/fs\/(?!content)(\w+)$/.exec(path) ?? [],
    )
    const fs = section(read('docs/files-and-links.md'), 'File operations')
    const named = /operations are ([^.]+)\./.exec(fs)![1]!.match(/(?<=`)\w+(?=`)/g)!
    expect(named.sort()).toEqual(operations.filter((name) => !name.startsWith('/')).sort())
  })

  it('name only scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = documents.flatMap((name) =>
      [...read(name).matchAll(/npm run (?:-s )?([a-z][\w:]*)/g)].map(([, script]) => script!),
    )
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  it('do not have npm look for a package of our name, which is not published', () => {
    const asking = documents.filter((name) =>
      /(?:npx|npm exec)(?: -\S+)* moonbucket/.test(read(name)),
    )
    expect(asking).toEqual([])
  })

  it('show every folder and file at the top of src', () => {
    const items = [...section(read('docs/architecture.md'), 'Map of src').matchAll(/^- (.+?) — /gm)]
    const named = items.flatMap(([, names]) => [...names!.matchAll(/`([\w./-]+)`/g)])
    expect(named.map(([, name]) => name!).sort()).toEqual(readdirSync(resolve(ROOT, 'src')).sort())
  })

  it('link only to files and headings that exist', () => {
    const links = documents.flatMap((from) =>
      [...read(from).matchAll(/\]\((?!https?:)([^)#]*)(?:#([\w-]+))?\)/g)].map(
        ([link, path, anchor]) => ({
          link: `${from}: ${link}`,
          file: path ? resolve(ROOT, dirname(from), path) : resolve(ROOT, from),
          anchor,
        }),
      ),
    )
    expect(links.length).toBeGreaterThan(20)
    const broken = links.filter(({ file, anchor }) => {
      if (!existsSync(file)) return true
      if (anchor === undefined) return false
      const titles = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)]
      return !titles.some(([, title]) => anchorOf(title!) === anchor)
    })
    expect(broken.map(({ link }) => link)).toEqual([])
  })

  it.each(documents)('%s stays within 100 columns', (name) => {
    const wide = read(name)
      .split('\n')
      .filter((line) => line.length > 100)
    expect(wide).toEqual([])
  })

  it('begin with a README of at most 250 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(251)
  })
})

describe('the code blocks of the README', () => {
  const blocks = blocksOf(readme)
  const [start, curl, answer, , host, lua, , local, test] = blocks
  it('are these', () => {
    expect(blocks.map(({ language }) => language)).toEqual([
      'sh',
      'sh',
      'json',
      'sh',
      'json',
      'lua',
      'lua',
      'sh',
      'sh',
    ])
    expect(start!.code).toBe('npm ci && npm run dev\n')
  })

  it('are joined by those of the guides, which have tests of their own', () => {
    const others = guides.map((name) => [
      name,
      // Those in HTTP and in Lua are run wherever they are, by the tests of the site.
      blocksOf(read(name))
        .map(({ language }) => language)
        .filter((language) => !['http', 'lua', 'json', 'text'].includes(language)),
    ])
    const shown = Object.fromEntries(
      others.filter(([, languages]) => languages!.length > 0),
    ) as object
    expect(shown).toEqual({
      // Run by the tests of the first hour and of the data dump.
      'docs/apis.md': ['yaml', 'toml', 'sh', 'toml'],
      // A drawing.
      'docs/architecture.md': [''],
      // Run by the tests of the commands, of the first hour and of the package.
      'docs/auth.md': ['sh', 'sh', 'ts', 'sh'],
      // Python and TypeScript by the tests of the clients.
      'docs/clients.md': ['sh', 'python', 'ts', 'ts', 'ts'],
      'docs/command.md': ['sh', 'sh', 'sh'],
      'docs/migrate.md': ['sh', 'sh'],
      'docs/runs.md': ['ts', 'python', 'ts', 'sh'],
      // Run by those of the first hour and of the deployment guide, as far as they can be run here.
      'docs/deploy.md': expect.arrayContaining(['sh']) as string[],
      'docs/operate.md': expect.arrayContaining(['sh']) as string[],
    })
  })

  it('run a script, which answers as shown', async () => {
    const { script, args } = JSON.parse(/\{[^]*\n\}/.exec(curl!.code)![0]) as {
      script: string
      args: unknown
    }
    const { result, logs, files } = await runLua(script, { args })
    const files_touched = files.map(({ name, op, bytes }) => ({ name, op, bytes }))
    expect(shownAnswer(answer!.code)).toMatchObject({ result, logs, files_touched })
  })

  it('list the tools, as the guide does', async () => {
    const tools = await (await makeMcp({ runQueue: testQueue() })).tools()
    expect(guideTools()).toEqual(withApiTools(tools))
  })

  it('show hosts an address that the service has', () => {
    const { mcpServers } = JSON.parse(host!.code) as { mcpServers: Record<string, { url: string }> }
    expect(new URL(mcpServers.moonbucket!.url).pathname).toBe('/mcp')
  })

  it('run a script without a server', async () => {
    const folder = tempFolder()
    const command = local!.code.replace(/run -\n$/, `run - --io-dir ${folder}\n`)
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: ROOT })
    expect(JSON.parse(stdout)).toEqual(['hello.txt'])
    expect(readFileSync(join(folder, 'hello.txt'), 'utf8')).toBe('Hello')
  })

  it('show a script that works', async () => {
    const { result, error, files } = await runLua(lua!.code)
    expect({ result, error }).toEqual({ result: 2, error: undefined })
    expect(files.map(({ name }) => name)).toEqual([
      'output/report.md',
      'regions/north.json',
      'regions/south.json',
    ])
  })

  it('end with the command that CI runs', () => {
    expect(read('.ci/run')).toContain(`(${test!.code.trim()})`)
  })
})
