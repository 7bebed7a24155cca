/** Names of files that browsers send, as paths in a folder. */
import { describe, expect, it } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { cleanName, droppedPath } from '../../src/files/dropped-name.ts'
import { parseFolder } from '../../src/files/path.ts'

const pathOf = (name: string, number = 1, folder = 'in') =>
  droppedPath(parseFolder(folder), cleanName(name), number, {})

describe('a dropped name', () => {
  it.each([
    ['a.txt', 'in/a.txt'],
    ['  été 日本.csv ', 'in/été 日本.csv'],
    ['e\u0301.txt', 'in/é.txt'],
    ['dir/sub/a.txt', 'in/a.txt'],
    ['C:\\fakepath\\a.txt', 'in/a.txt'],
    ['../../etc/passwd', 'in/passwd'],
    ['/etc/passwd', 'in/passwd'],
    ['.htaccess', 'in/_htaccess'],
    ['...', 'in/___'],
    ['..a', 'in/__a'],
    ['photo\u202egpj.exe', 'in/photogpj.exe'],
    ['\u2066a\u2069.txt', 'in/a.txt'],
    ['a..b', 'in/a..b'],
    ['a b (2).txt', 'in/a b (2).txt'],
    ['<img src=x>.png', 'in/<img src=x>.png'],
    ['🎉.png', 'in/🎉.png'],
  ])('%j becomes %j', (name, path) => {
    expect(pathOf(name)).toBe(path)
  })

  it.each([
    ['', 'The file has no name. Give it one first.'],
    ['   ', 'The file has no name. Give it one first.'],
    ['a/', 'The file has no name. Give it one first.'],
    ['\u202e', 'The file has no name. Give it one first.'],
    ['..', "The file cannot have this name: path cannot contain '..' traversal."],
    ['a/..', "The file cannot have this name: path cannot contain '..' traversal."],
    ['.', 'The file cannot have this name: path is not valid: names a folder.'],
    ['a\0b', 'The file cannot have this name: path cannot contain null bytes.'],
    ['a\nb', 'The file cannot have this name: path is not valid: contains control characters.'],
    ['a\x7fb', 'The file cannot have this name: path is not valid: contains control characters.'],
    ['a\ud800', 'The file cannot have this name: path is not valid: not UTF-8.'],
  ])('%j is refused', (name, message) => {
    expect(() => pathOf(name)).toThrow(new AppError('invalid_path', message))
  })

  it.each([
    [`${'x'.repeat(251)}.txt`, 1, 255],
    [`${'x'.repeat(300)}.txt`, 1, 255],
    [`${'x'.repeat(300)}.txt`, 12, 255],
    ['é'.repeat(255), 1, 254],
    [`${'🎉'.repeat(100)}.jpeg`, 2, 253],
    [`a.${'x'.repeat(300)}`, 3, 255],
  ])('%s with number %i has %i bytes', (name, number, bytes) => {
    const path = pathOf(name, number)
    expect(new TextEncoder().encode(path.slice('in/'.length)).length).toBe(bytes)
    expect(path).toMatch(name.endsWith('.txt') ? /\.txt$/ : /^in\//)
    expect(path.includes(` (${number})`)).toBe(number > 1)
  })

  it('fits into a long folder, or is refused', () => {
    const folder = 'f'.repeat(470)
    expect(pathOf('x'.repeat(99), 1, folder)).toHaveLength(512)
    expect(() => pathOf('x', 1, 'f'.repeat(500))).toThrow(/too long for files/)
  })

  it('has its number before its ending', () => {
    expect([pathOf('a.txt', 2), pathOf('a', 3), pathOf('a.b.', 4)]).toEqual([
      'in/a (2).txt',
      'in/a (3)',
      'in/a.b. (4)',
    ])
  })
})
