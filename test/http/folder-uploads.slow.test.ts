/** Upload links to a folder with as many files as they take. */
import { expect, it } from 'vitest'
import { makeApp } from '../support/make-app.ts'
import { dropLinkFor, formOf, postForm, putFile } from '../support/upload-link.ts'

const named = (count: number) =>
  Array.from({ length: count }, (_, i): [string, string] => [`${i}.txt`, `text ${i}`])

async function storedBy({ stored }: { stored(): Promise<Record<string, string>> }) {
  return Object.keys(await stored()).filter((key) => key.startsWith('users/'))
}

it('a form of 101 files is stored but for the last', async () => {
  const made = await makeApp()
  const url = await dropLinkFor(made)
  const response = await postForm(made, url, formOf(named(101)), {})
  const { files, errors } = (await response.json()) as Record<string, { name: string }[]>
  expect([response.status, files?.length]).toEqual([409, 100])
  expect(errors).toEqual([expect.objectContaining({ name: '100.txt' })])
  expect(await storedBy(made)).toHaveLength(100)
}, 120_000)

it('files of one name get numbers, however many come at once', async () => {
  const made = await makeApp()
  const url = await dropLinkFor(made, { max_files: 30 })
  let left = Array.from({ length: 30 }, (_, i) => `&upload=${String(i).padStart(32, '0')}`)
  for (let rounds = 0; left.length > 0 && rounds < 40; rounds++) {
    const sent = await Promise.all(left.map((query) => putFile(made, url, 'image.jpg', 'x', query)))
    const texts = await Promise.all(sent.map(async (r) => `${r.status} ${await r.text()}`))
    expect(texts.filter((text) => !/^(?:201|409|503) /.test(text))).toEqual([])
    left = left.filter((_, i) => sent[i]!.status !== 201)
  }
  expect(left).toEqual([])
  expect(new Set(await storedBy(made)).size).toBe(30)
}, 120_000)
