import { tempFolder } from '../../support/temp-folder.ts'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { buildApis } from '../../../infra/build/apis/build.ts'
import { failureOf, openapi } from './compile-spec.ts'

const BUILD = resolve(import.meta.dirname, '../../../infra/build/apis/build.ts')
const spec = JSON.stringify(
  openapi({ '/things': { get: { operationId: 'list', description: `It's "\\" 'quoted'` } } }),
)
const settings = '[apis.shop]\nspec = "shop.json"\n'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Builds into a folder of its own, and is quiet about it. */
function build(files: Readonly<Record<string, string>>) {
  const printed = vi.spyOn(console, 'info').mockImplementation(() => {})
  const folder = tempFolder(files)
  const config = join(folder, 'moonbucket.toml')
  const target = join(folder, 'compiled.js')
  const again = (force = false) => buildApis({ config, target, force })
  const isBuilt = again()
  const lines = () => printed.mock.calls.map(([line]) => String(line))
  return { folder, config, target, again, isBuilt, lines }
}

describe('build:apis', () => {
  it('writes a module with the texts of a catalog', async () => {
    const { target, lines } = build({ 'moonbucket.toml': settings, 'shop.json': spec })
    const { compiled } = (await import(target)) as typeof import('../../../src/sdk/compiled.js')
    expect(JSON.parse(compiled.apis)).toMatchObject([{ name: 'shop', functions: 1 }])
    expect(JSON.parse(compiled.calls.shop!)).toEqual({
      list: { method: 'GET', path: '/things', params: [] },
    })
    expect(JSON.parse(compiled.index.shop!)).toMatchObject([{ summary: `It's "\\" 'quoted'` }])
    expect(lines()).toEqual(['shop: 1 function, 1 KB, 1 KB gzip'])
  })

  it('writes an empty catalog where nothing is configured', async () => {
    const { target } = build({ 'moonbucket.toml': '' })
    expect(await import(target)).toMatchObject({
      compiled: { apis: '[]', index: {}, calls: {}, types: {} },
    })
  })

  it('has nothing to do until something changes', () => {
    const { folder, target, again } = build({ 'moonbucket.toml': settings, 'shop.json': spec })
    utimesSync(target, 0, 0)
    expect(again()).toBe(false)
    expect(statSync(target).mtimeMs).toBe(0)

    writeFileSync(join(folder, 'shop.json'), spec.replace('"list"', '"all"'))
    expect(again()).toBe(true)
    expect(readFileSync(target, 'utf8')).toContain('"all"')
    expect(again()).toBe(false)

    writeFileSync(join(folder, 'moonbucket.toml'), `${settings}exclude = ["nope"]\n`)
    expect(failureOf(again)).toHaveLength(1)
    expect(again.bind(undefined, true)).toThrow('matches no function')
    expect(readFileSync(target, 'utf8')).toContain('"all"')
  })

  it('prints what is wrong, line by line, and fails', async () => {
    const folder = tempFolder({
      'moonbucket.toml': `${settings}wirte = true\n[apis.X]\nspec = "a"\n`,
    })
    const run = promisify(execFile)(process.execPath, [BUILD, '--config', 'moonbucket.toml'], {
      cwd: folder,
    })
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: `build:apis: moonbucket.toml: apis.shop: unknown key "wirte"; did you mean "write"?
build:apis: moonbucket.toml: apis.X: API names have a-z, 0-9 and _, such as my_api
`,
    })
  })

  it.each([
    [['--config', 'gone.toml'], /^build:apis: no such file: .*gone\.toml\n$/],
    [['--confg'], /^build:apis: Unknown option '--confg'\.?.*\n/],
  ])('refuses %j', async (args, message) => {
    const run = promisify(execFile)(process.execPath, [BUILD, ...args], { cwd: tempFolder() })
    await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) })
  })
})

it('tests and builds find a catalog in a fresh clone', () => {
  expect(existsSync(resolve(BUILD, '../../../../src/sdk/compiled.js'))).toBe(true)
})
