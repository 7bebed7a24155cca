/** Setup file: records which marks a test file reaches, while it loads and while it runs. */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'

const folder = process.env['MUTANT_HITS']!
const loading = new Set<number>()
const running = new Set<number>()
let current = loading

Object.assign(globalThis, { __hit: (id: number) => current.add(id) })

beforeAll(() => {
  current = running
})

afterAll(() => {
  const file = expect.getState().testPath
  const text = JSON.stringify({ file, loading: [...loading], running: [...running] })
  writeFileSync(join(folder, `hits-${randomUUID()}.json`), text)
})
