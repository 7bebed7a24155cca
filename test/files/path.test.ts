/** The path gate: by tables for what people write, by properties for what nobody thought of. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidPath } from '../../src/errors.ts'
import { foldersAbove, parseFolder, parsePath } from '../../src/files/path.ts'
import {
  BAD_BYTES,
  BAD_PATHS,
  FOLDERS,
  LONE_SURROGATES,
  NOTHING,
  ODD_PATHS,
} from '../support/bad-paths.ts'
import { isAll } from '../support/tier.ts'

const encoder = new TextEncoder()

function faultOf(parse: () => unknown): string | undefined {
  try {
    parse()
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidPath)
    return (error as InvalidPath).message
  }
}

describe('parsePath', () => {
  it.each(ODD_PATHS)('reads %j as %j, from text and from bytes', (raw, path) => {
    expect(parsePath(raw)).toBe(path)
    expect(parsePath(encoder.encode(raw))).toBe(path)
  })

  it.each([...BAD_PATHS, ...FOLDERS, NOTHING])('refuses %j: %s', (raw, fault) => {
    expect(faultOf(() => parsePath(raw))).toBe(fault)
    expect(faultOf(() => parsePath(encoder.encode(raw)))).toBe(fault)
  })

  it.each(LONE_SURROGATES)('refuses %j: %s', (raw, fault) => {
    expect(faultOf(() => parsePath(raw))).toBe(fault)
  })

  it.each(BAD_BYTES)('refuses the bytes %j: %s', (bytes, fault) => {
    expect(faultOf(() => parsePath(Uint8Array.from(bytes)))).toBe(fault)
  })

  it.each([
    ['a null byte before a leading slash', '/../\n\0', 'path cannot contain null bytes'],
    ['a leading slash before traversal', '/../\n', 'path must be relative'],
    ['traversal before what is not valid', '../\n', "path cannot contain '..' traversal"],
    ['what is not valid before what is not allowed', 'b\n', 'path is not valid'],
    ['what is not allowed last', 'b', 'path is not allowed'],
  ])('reports %s', (_, raw, fault) => {
    expect(faultOf(() => parsePath(raw, { allowed: [['a']] }))).toContain(fault)
  })

  it.each([
    ['out', ['out'], true],
    ['out/x', ['out'], true],
    ['./out//x', ['out/'], true],
    ['output', ['out'], false],
    ['ou', ['out'], false],
    ['a/b/c', ['x', 'a/b'], true],
    ['a/c', ['a/b'], false],
    ['a', [], false],
    ['a', ['.'], true],
    ['Out/x', ['out'], false],
  ])('says whether %j lies in %j: %j', (raw, allowed, isAllowed) => {
    const fault = isAllowed ? undefined : 'path is not allowed'
    expect(faultOf(() => parsePath(raw, { allowed: [allowed] }))).toBe(fault)
  })
})

describe('parseFolder', () => {
  it.each([
    [undefined, ''],
    ['', ''],
    ['.', ''],
    ['./.', ''],
    ['a/', 'a'],
    ['./a//b/.', 'a/b'],
  ])('reads %j as %j', (raw, folder) => {
    expect(parseFolder(raw)).toBe(folder)
  })

  it.each(BAD_PATHS)('refuses %j: %s', (raw, fault) => {
    expect(faultOf(() => parseFolder(raw))).toBe(fault)
  })

  it('allows the root only where everything is allowed', () => {
    expect(faultOf(() => parseFolder('.', { allowed: [['out']] }))).toBe('path is not allowed')
    expect(parseFolder('.', { allowed: [['']] })).toBe('')
  })
})

describe('foldersAbove', () => {
  it.each([
    ['a', []],
    ['a/b/c', ['a', 'a/b']],
  ])('of %j are %j', (path, folders) => {
    expect(foldersAbove(parsePath(path))).toEqual(folders)
  })
})

describe('any path', () => {
  const piece = fc.oneof(
    fc.constantFrom('.', '..', '/', '//', '\\', '\0', '\n', 'a', 'é', '😀', '\ud800', '\x80'),
    fc.string({ unit: 'binary', maxLength: 4 }),
  )
  const written = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

  function tryParse<T>(parse: () => T): T | undefined {
    try {
      return parse()
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidPath)
      return undefined
    }
  }

  it('is refused, or has a normal form that stays inside and reads as itself', () => {
    const check = fc.property(written, (raw) => {
      const path = tryParse(() => parsePath(raw))
      if (path === undefined) return
      for (const segment of path.split('/')) expect(['', '.', '..']).not.toContain(segment)
      expect(path).not.toMatch(/[\p{Cc}\\]/u)
      expect(parsePath(path)).toBe(path)
      expect(parseFolder(path)).toBe(path)
      const encoded = path.split('/').map(encodeURIComponent).join('/')
      expect(new URL(encoded, 'https://host/root/').pathname).toBe(`/root/${encoded}`)
    })
    fc.assert(check, { numRuns: isAll ? 2000 : 500 })
  })

  it('means the same as text and as bytes', () => {
    const wellFormed = written.filter((raw) => !/\p{Cs}/u.test(raw))
    const check = fc.property(wellFormed, (raw) => {
      const bytes = encoder.encode(raw)
      expect(faultOf(() => parsePath(bytes))).toBe(faultOf(() => parsePath(raw)))
      expect(tryParse(() => parsePath(bytes))).toBe(tryParse(() => parsePath(raw)))
    })
    fc.assert(check, { numRuns: isAll ? 2000 : 500 })
  })

  it('never means two files: bytes that differ in more than dots and slashes differ as paths', () => {
    const check = fc.property(fc.uint8Array({ maxLength: 8 }), (bytes) => {
      const path = tryParse(() => parsePath(bytes))
      if (path === undefined) return
      const kept = [...bytes].filter((byte) => byte !== 0x2e && byte !== 0x2f)
      const made = [...encoder.encode(path)].filter((byte) => byte !== 0x2e && byte !== 0x2f)
      expect(made).toEqual(kept)
    })
    fc.assert(check, { numRuns: isAll ? 2000 : 500 })
  })
})
