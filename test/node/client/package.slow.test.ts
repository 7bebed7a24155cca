/** `moonbucket/client` as people get it: its types, and the same cases in Node and Chromium. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../../../infra/build/bundles/bundle.ts'
import { ROOT } from '../../../infra/root.ts'
import type * as Client from '../../../src/client/index.ts'
import { packageFile } from '../../all/packages.ts'
import { CASES } from '../../client/cases.ts'
import { blocksOf, readDocument } from '../../support/documents.ts'
import { signToken } from '../../support/sign-token.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { sharedBrowser } from '../start-browser.ts'
import { sharedWorker } from '../start-worker.ts'

const folder = tempFolder()
const installed = join(folder, 'node_modules/moonbucket')

beforeAll(async () => {
  await bundle('cli', join(folder, 'cli'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(folder, 'cli'), installed)
}, 120_000)

/** What the page is given. */
interface Tested {
  readonly CASES: typeof CASES
  readonly lib: typeof Client
}

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

describe('the package', () => {
  it('has types that fit every way of resolving them', () => {
    // Whoever requires a module gets one on Node 22 and newer.
    run(packageFile('.bin/attw'), '--pack', 'cli', '--profile', 'esm-only', '--no-emoji')
  })

  it('is well formed', () => {
    expect(run(packageFile('.bin/publint'), 'run', 'cli', '--strict')).toContain('All good!')
  })

  it('has the types of every request, without those of the service', () => {
    const uses = readFileSync(resolve(ROOT, 'test/client/uses.ts'), 'utf8')
    writeFileSync(
      join(folder, 'uses.ts'),
      uses.replace('../../src/client/index.ts', 'moonbucket/client'),
    )
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: false,
      target: 'es2022',
      module: 'nodenext',
      lib: ['es2023', 'dom', 'dom.asynciterable'],
      types: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    run(resolve(ROOT, 'node_modules/.bin/tsc'), '-p', folder)
    const types = readFileSync(join(installed, 'client.d.mts'), 'utf8')
    expect(types.match(/\bimport\b|zod/g)).toBeNull()
  })
})

describe('against the Worker', () => {
  let url: string
  const newToken = () => signToken({ tenant: `t-${crypto.randomUUID()}`, sub: 'alice' })

  beforeAll(async () => {
    url = (await sharedWorker()).origin
  })

  describe('in Node', () => {
    it.each(Object.entries(CASES))('%s', async (_, { run: perform, expected }) => {
      const module = pathToFileURL(join(installed, 'client.mjs')).href
      const lib = (await import(module)) as typeof Client
      const client = lib.moonbucket({ url, token: await newToken() })
      const stranger = lib.moonbucket({ url, token: 'nobody' })
      const value = await perform(client, { lib, stranger })
      expect(JSON.parse(JSON.stringify(value))).toEqual(expected)
    })
  })

  it.each(blocksOf(readDocument('docs/clients.md')).filter(({ language }) => language === 'ts'))(
    'has a guide whose examples print what they say ($#)',
    async ({ code }) => {
      const file = join(folder, `${crypto.randomUUID()}.ts`)
      writeFileSync(file, code.replaceAll('https://moonbucket.example', url))
      const env = { ...process.env, TOKEN: await newToken() }
      const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, env })
      const said = [...code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, text]) => text)
      expect(stdout.trim().split('\n')).toEqual(said)
    },
  )

  describe('in Chromium', () => {
    let page: Page

    beforeAll(async () => {
      const { outputFiles } = await build({
        absWorkingDir: ROOT,
        stdin: {
          contents: `export { CASES } from './test/client/cases.ts'
            export * as lib from './src/client/index.ts'`,
          resolveDir: ROOT,
        },
        bundle: true,
        format: 'iife',
        globalName: 'tested',
        write: false,
      })
      page = await (await sharedBrowser()).newPage()
      await page.goto(`${url}/health`)
      await page.evaluate(`${outputFiles[0]!.text}; globalThis.tested = tested`)
    })

    afterAll(() => page.close())

    it.each(Object.entries(CASES))('%s', async (name, { expected }) => {
      const value: unknown = await page.evaluate(
        async ([address, bearer, which]) => {
          const { CASES: cases, lib } = (globalThis as unknown as { tested: Tested }).tested
          const client = lib.moonbucket({ url: address!, token: bearer! })
          const stranger = lib.moonbucket({ url: address!, token: 'nobody' })
          return JSON.parse(JSON.stringify(await cases[which!]!.run(client, { lib, stranger })))
        },
        [url, await newToken(), name],
      )
      expect(value).toEqual(expected)
    })
  })
})
