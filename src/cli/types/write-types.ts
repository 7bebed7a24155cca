/** `moonbucket types`: writes definition files for editors with the Lua language server (LuaLS). */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { UsageError } from '../../errors.ts'
import type { CatalogTexts } from '../../sdk/catalog/catalog.ts'
import { readLocalSettings, SETTINGS_FILE } from '../local-settings.ts'
import type { Terminal, TypesOptions } from '../options.ts'
import { apiStubs, COMMON_STUBS } from './api-stubs.ts'
import { libraryStubs } from './library-stubs.ts'

const EDITOR_FILE = '.luarc.json'

/** Returns the exit code. @throws {UsageError} */
export async function writeTypes({ out }: TypesOptions, terminal: Terminal): Promise<number> {
  const { folder, stdout } = terminal
  const apis = apiStubs(await catalogTexts(terminal))
  const files = new Map([
    ['moonbucket.lua', `${libraryStubs()}\n${COMMON_STUBS}\n`],
    ...[...apis].map(([name, text]) => [`sdk.${name}.lua`, text] as const),
  ])
  for (const [name, text] of files) write(resolve(folder, out), name, text)
  const count = files.size === 1 ? '1 file' : `${files.size} files`
  stdout.write(`${count} in ${out}\n`)
  const settings = `${JSON.stringify(editorSettings(out), null, 2)}\n`
  if (existsSync(join(folder, EDITOR_FILE))) {
    stdout.write(`${EDITOR_FILE} is there already; it needs:\n${settings}`)
  } else {
    write(folder, EDITOR_FILE, settings)
    stdout.write(`${EDITOR_FILE} tells editors to use them\n`)
  }
  return 0
}

/** What scripts can call here: the configured APIs, or the demo. */
async function catalogTexts(terminal: Terminal): Promise<CatalogTexts> {
  const { hasApis } = readLocalSettings(terminal.folder, {})
  if (hasApis) return terminal.compileApis(SETTINGS_FILE)
  const { demoCatalog } = await import('../../demo/demo-catalog.ts')
  return demoCatalog('')
}

const STOCK = 'basic coroutine debug io math os package string table utf8'.split(' ')

function editorSettings(out: string) {
  return {
    'runtime.version': 'Lua 5.4',
    // The files describe these as scripts have them.
    'runtime.builtin': Object.fromEntries(STOCK.map((name) => [name, 'disable'])),
    'runtime.path': ['lib/?.lua', 'lib/?/init.lua'],
    'workspace.library': [out],
  }
}

function write(folder: string, name: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), text)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`${join(folder, name)} cannot be written (${code})`)
  }
}
