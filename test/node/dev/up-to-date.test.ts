/** When something that is built has to be built again. */
import { execFile } from 'node:child_process'
import { appendFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { checkInputs, stampOf } from '../../../infra/build/up-to-date.ts'
import { ROOT } from '../../../infra/root.ts'
import { tempFolder } from '../../support/temp-folder.ts'

let folder: string
const path = (name: string) => join(folder, name)
const check = () =>
  checkInputs({ target: path('out'), sources: [path('build.ts')], data: [path('data.txt')] })
/** As every builder does it. */
const build = () => {
  const inputs = check()
  if (inputs.areSame) return false
  writeFileSync(path('out'), '')
  inputs.keep()
  return true
}

beforeEach(() => {
  folder = tempFolder({
    'build.ts': "await import('./late.ts')\n",
    'late.ts': "import 'a-package'\nimport { a } from './a.ts'\nexport { a }\n",
    'a.ts': 'export const a = 1\n',
    'data.txt': 'data',
  })
})

describe('what is built', () => {
  it('is built once', () => {
    expect([build(), build(), build()]).toEqual([true, false, false])
  })

  it('stays as it is when files are only touched', () => {
    build()
    for (const name of ['build.ts', 'a.ts', 'data.txt']) utimesSync(path(name), 0, 0)
    expect(build()).toBe(false)
  })

  it.each(['build.ts', 'late.ts', 'a.ts', 'data.txt'])('is built again for %s', (name) => {
    build()
    appendFileSync(path(name), '// A comment.\n')
    expect([build(), build()]).toEqual([true, false])
  })

  it('is built again when it is gone, when its stamp is, and when data is', () => {
    build()
    for (const gone of [path('out'), stampOf(path('out')), path('data.txt')]) {
      rmSync(gone)
      expect([build(), build()]).toEqual([true, false])
    }
  })

  it('is built again when the build failed after the check', () => {
    build()
    appendFileSync(path('a.ts'), '// A comment.\n')
    check()
    expect(build()).toBe(true)
  })
})

it('npm run prepare:build leaves alone what is up to date', async () => {
  const stamps = ['src/vm/lua.wasm', 'src/sdk/compiled.js', 'dist/site'].map((target) =>
    stampOf(resolve(ROOT, target)),
  )
  const times = () => stamps.map((stamp) => statSync(stamp).mtimeMs)
  const before = times()
  const script = resolve(ROOT, 'infra/build/prepare.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script])
  expect({ stdout, stderr, times: times() }).toEqual({ stdout: '', stderr: '', times: before })
})
