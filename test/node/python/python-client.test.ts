/** The module for Python does what its guide shows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { serveApp } from '../site/serve-app.ts'
import { hasPython, python, ROOT } from './run-python.ts'

const service = await serveApp()
afterAll(() => service.stop())

it.skipIf(!hasPython)('the module for Python does what the guide shows', async () => {
  const guide = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8')
  const program = /^```python\n(.*?)^```$/ms.exec(guide)![1]!
  const out = await python(program, service.origin, await service.tokenOf())
  expect(out.replaceAll(/token=\S+/g, 'token=…').split('\n')).toEqual([
    "{'rows': 3} ['wrote\\t3'] output/squares.csv",
    'Buy milk',
    '',
    "['squares.csv']",
    `${service.origin}/files/out?path=output/squares.csv&token=…`,
    '1',
    '2',
    '3',
    'done',
    'runtime []',
    'There is no file "nowhere.txt". Check the name, or list the folder it should be in.',
    '',
  ])
})
