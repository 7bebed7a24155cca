/** `append` over HTTP. */
import { expect, it } from 'vitest'
import { makeFs } from '../support/make-fs.ts'

it('creates a file, adds to it, and answers with a link', async () => {
  const { fs, app, stored } = await makeFs()
  const first = await fs('append', { path: 'd/log', content: 'eins\n' })
  expect(first).toMatchObject({ path: 'd/log', bytes: 5 })
  const { link, ...rest } = await fs('append', {
    path: 'd/log',
    content: '/w==',
    encoding: 'base64',
  })
  expect(rest).toEqual({ path: 'd/log', bytes: 6 })
  expect(new Uint8Array(await (await app.request(link as string)).arrayBuffer())[5]).toBe(255)
  await fs('append', { path: 'd/log', content: '' })
  await fs('append', { path: 'empty', content: '' })
  expect(await stored()).toEqual({ 'users/alice/d/log': 'eins\n\ufffd', 'users/alice/empty': '' })
})

it('loses and repeats nothing of many at once', async () => {
  const { fs } = await makeFs()
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i}\n`)
  await Promise.all(lines.map((content) => fs('append', { path: 'log', content })))
  const { content } = await fs<{ content: string }>('read', { path: 'log' })
  expect(content.match(/.*\n/g)!.toSorted()).toEqual(lines.toSorted())
})

it.each([
  ['d', 409, '"d" is a folder. Choose another name for the file.'],
  ['f/x', 409, '"f" is a file, so nothing can be put below it. Choose another path.'],
  ['f', 413, '"f" would have more than 100 bytes, the limit for appending. Start another file.'],
])('to %s is refused: %i', async (path, status, message) => {
  const { fs, refusal, stored } = await makeFs({ limits: { residentBytes: 100 } })
  await fs('write', { path: 'f', content: 'x'.repeat(99) })
  await fs('write', { path: 'd/x', content: '' })
  const before = await stored()
  expect(await refusal('append', { path, content: 'ab' })).toEqual([status, message])
  expect(await stored()).toEqual(before)
})
