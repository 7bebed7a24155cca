/** The path gate, by tables; the fuzz target `paths` tries everything else. */
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
  ])('for %j with allowed paths %j: %j', (raw, allowed, isAllowed) => {
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
