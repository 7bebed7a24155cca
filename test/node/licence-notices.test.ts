/** Whoever gets a bundle gets the licences of what others wrote of it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { bundle } from '../../infra/build/bundles/bundle.ts'
import { licenceNotices, packagesIn } from '../../infra/build/bundles/licence-notices.ts'
import { SITE_FOLDER } from '../../infra/build/site/build.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')

const read = (...path: string[]) => readFileSync(resolve(ROOT, ...path), 'utf8')
const licenceOf = (name: string) => read('node_modules', name, 'LICENSE').trim()
const versionOf = (name: string) =>
  (JSON.parse(read('node_modules', name, 'package.json')) as { version: string }).version

/** A package that a bundle takes something from. */
function install(folder: string, name: string, manifest: object, files: Record<string, string>) {
  const at = join(folder, 'node_modules', name)
  mkdirSync(at, { recursive: true })
  const all = { name, version: '1.2.3', main: 'index.js', ...manifest }
  for (const [file, text] of Object.entries({ ...files, 'package.json': JSON.stringify(all) }))
    writeFileSync(join(at, file), text)
  return at
}

describe('a bundle', () => {
  it('names the packages inside with their versions and terms, and no other', async () => {
    const folder = tempFolder()
    expect(await bundle('workers', folder)).toContain('LICENSES.txt')
    const notices = read(folder, 'LICENSES.txt')
    for (const name of ['diff', 'hono', 'wasmoon', 'zod']) {
      expect(notices).toContain(`${name} ${versionOf(name)} (`)
      expect(notices).toContain(licenceOf(name))
    }
    expect(notices).toMatch(/^Lua 5\.4\nCopyright © 1994–\d{4} Lua\.org, PUC-Rio\.$/m)
    // This one keeps its files in R2.
    expect(notices).not.toContain('@aws-sdk/client-s3')
  })

  it('of pages has them where the pages say', () => {
    const notices = read(SITE_FOLDER, 'assets/licenses.txt')
    expect(notices).toContain(`@codemirror/view ${versionOf('@codemirror/view')} (MIT)`)
    expect(notices).toContain(licenceOf('@codemirror/view'))
    const [, script] = /src="\/(assets\/main-[^"]+)"/.exec(read(SITE_FOLDER, 'index.html'))!
    expect(read(SITE_FOLDER, script!)).toContain('/assets/licenses.txt')
  })
})

describe('the notices', () => {
  it('are about what is used, not about what is installed', async () => {
    const folder = tempFolder()
    const used = install(folder, 'used', {}, { 'index.js': 'export const used = 1' })
    install(folder, 'idle', { sideEffects: false }, { 'index.js': 'export const idle = 1' })
    writeFileSync(
      join(folder, 'main.js'),
      'import { used } from "used"; import { idle } from "idle"; console.log(used)',
    )
    const { metafile } = await build({
      absWorkingDir: folder,
      entryPoints: ['main.js'],
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
    })
    expect(packagesIn(metafile, folder)).toEqual([used])
  })

  it('give a text that packages share once', async () => {
    const folder = tempFolder()
    const files = { LICENSE: 'Do as you like.\n', 'NOTICE.md': 'By us.\n' }
    const folders = ['@a/one', '@a/two'].map((name) =>
      install(folder, name, { license: 'MIT' }, files),
    )
    // It left out what its siblings have.
    folders.push(install(folder, '@a/zero', { license: 'MIT' }, {}))
    expect(licenceNotices(folders)).toBe(
      '@a/one 1.2.3 (MIT)\n@a/two 1.2.3 (MIT)\n@a/zero 1.2.3 (MIT)\n\nDo as you like.\n\nBy us.\n',
    )
  })

  it.each([
    ['no text', 'alone', { license: 'MIT' }, {}],
    ['no name of one', 'alone', {}, { LICENSE: 'Do as you like.' }],
    ['siblings under another', '@a/odd', { license: 'ISC' }, {}],
  ])('cannot be made for a package with %s', async (_, name, manifest, files) => {
    const folder = tempFolder()
    install(folder, '@a/one', { license: 'MIT' }, { LICENSE: 'Do as you like.' })
    const at = install(folder, name, manifest, files)
    expect(() => licenceNotices([at])).toThrow(`${name} 1.2.3 has no licence`)
  })
})
