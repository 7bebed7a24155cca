/** Files as a watching caller hears of them. */
import { expect, it } from 'vitest'
import type { TouchedFile } from '../../src/files/run/files-touched.ts'
import { parsePath } from '../../src/files/path.ts'
import { fileProgress } from '../../src/operations/run/file-progress.ts'
import { makeGate } from '../support/gate.ts'

const row: TouchedFile = { name: parsePath('a'), op: 'write', bytes: 1 }

it('tells of every file before it gives the rows of the answer, however late a link is', async () => {
  const gate = makeGate()
  const told: string[] = []
  let calls = 0
  const links = {
    linkTo: async () => 'https://files.example/a',
    rowOf: async (touched: TouchedFile) => {
      if (++calls === 1) await gate.opened
      return touched
    },
  }
  const progress = fileProgress(links.rowOf, ({ name }) => told.push(`file ${name}`), true)
  progress.stored(row)
  const finished = progress.finish([row]).then(() => told.push('answer'))
  await new Promise((resolve) => setTimeout(resolve, 0))
  gate.open()
  await finished
  expect(told).toEqual(['file a', 'answer'])
})

it('tells of files in the order in which they were stored, however late a link is', async () => {
  const gate = makeGate()
  const told: number[] = []
  const linked = async (touched: TouchedFile) => {
    if (touched.bytes === 1) await gate.opened
    return touched
  }
  const progress = fileProgress(linked, ({ bytes }) => told.push(bytes), true)
  const later = { ...row, bytes: 2 }
  progress.stored(row)
  progress.stored(later)
  await new Promise((resolve) => setTimeout(resolve, 0))
  gate.open()
  await progress.finish([later])
  expect(told).toEqual([1, 2])
})
