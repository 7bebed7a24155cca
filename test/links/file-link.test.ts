/** Addresses of links: readable, and whole wherever they are pasted. */
import { describe, expect, it } from 'vitest'
import { parseFolder, parsePath } from '../../src/files/path.ts'
import { fileLink, folderLink, isFolderAddress, uploadLink } from '../../src/links/file-link.ts'

const TABLE = [
  ['output/rows.csv', 'output/rows.csv'],
  ['', ''],
  ['a b.txt', 'a%20b.txt'],
  ['a+b.txt', 'a%2Bb.txt'],
  ['a&token=x', 'a%26token%3Dx'],
  ['a#b?c', 'a%23b%3Fc'],
  ['100%.txt', '100%25.txt'],
  ['%2e%2e/x', '%252e%252e/x'],
  ['été/日本.md', '%C3%A9t%C3%A9/%E6%97%A5%E6%9C%AC.md'],
  ['😀', '%F0%9F%98%80'],
  [`"it's" (1)`, '%22it%27s%22%20%281%29'],
  ['<a>[b]{c}|^`', '%3Ca%3E%5Bb%5D%7Bc%7D%7C%5E%60'],
  ['*a*~b~!', '%2Aa%2A%7Eb%7E%21'],
  ['a-b_c.d', 'a-b_c.d'],
] as const

describe('fileLink', () => {
  it.each(TABLE)('writes %j as %s', (raw, written) => {
    expect(fileLink('https://files.example', parseFolder(raw), 'T0k-en_')).toBe(
      `https://files.example/files/out?path=${written}&token=T0k-en_`,
    )
  })

  it.each(TABLE)('gives %j back when the address is parsed', (raw) => {
    const { searchParams, hash } = new URL(fileLink('https://h', parseFolder(raw), 'T'))
    expect([...searchParams, hash]).toEqual([['path', raw], ['token', 'T'], ''])
  })
})

it.each([
  ['', ''],
  ['output', 'output/'],
  ['a b/c', 'a%20b/c/'],
])('folderLink writes %j as %s', (raw, written) => {
  expect(folderLink('https://h', parseFolder(raw), 'T')).toBe(
    `https://h/files/out?path=${written}&token=T`,
  )
})

it('uploadLink leads to where files come in', () => {
  expect(uploadLink('https://h', parsePath('a b.csv'), 'T')).toBe(
    'https://h/files/in?path=a%20b.csv&token=T',
  )
})

it.each([
  ['', true],
  ['.', true],
  ['./', true],
  ['a/', true],
  ['a/.', true],
  ['a', false],
  ['a/b', false],
  ['a.', false],
  ['a/..', false],
  ['.a', false],
])('isFolderAddress of %j is %s', (path, isFolder) => {
  expect(isFolderAddress(path)).toBe(isFolder)
})
