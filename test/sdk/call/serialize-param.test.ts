/** Parameters in URLs and headers: the tables of OpenAPI, and edge cases. */
import { describe, expect, it } from 'vitest'
import type { ParamEntry } from '../../../src/sdk/catalog/catalog.ts'
import {
  cookieText,
  headerText,
  pathText,
  queryPairs,
} from '../../../src/sdk/call/build-request.ts'
import { inCookie, inHeader, inPath, inQuery } from '../../support/make-catalog.ts'

const LIST = ['blue', 'black', 'brown']
const TABLE = { R: 100, G: 200, B: 150 }

type Style = Pick<ParamEntry, 'style' | 'explode'>

describe('in a path', () => {
  it.each<[string, Style, unknown, string]>([
    ['simple', {}, 'blue', 'blue'],
    ['simple', {}, LIST, 'blue,black,brown'],
    ['simple', {}, TABLE, 'R,100,G,200,B,150'],
    ['simple exploded', { explode: true }, 'blue', 'blue'],
    ['simple exploded', { explode: true }, LIST, 'blue,black,brown'],
    ['simple exploded', { explode: true }, TABLE, 'R=100,G=200,B=150'],
    ['label', { style: 'label' }, '', '.'],
    ['label', { style: 'label' }, 'blue', '.blue'],
    ['label', { style: 'label' }, LIST, '.blue,black,brown'],
    ['label', { style: 'label' }, TABLE, '.R,100,G,200,B,150'],
    ['label exploded', { style: 'label', explode: true }, 'blue', '.blue'],
    ['label exploded', { style: 'label', explode: true }, LIST, '.blue.black.brown'],
    ['label exploded', { style: 'label', explode: true }, TABLE, '.R=100.G=200.B=150'],
    ['matrix', { style: 'matrix' }, '', ';color'],
    ['matrix', { style: 'matrix' }, 'blue', ';color=blue'],
    ['matrix', { style: 'matrix' }, LIST, ';color=blue,black,brown'],
    ['matrix', { style: 'matrix' }, TABLE, ';color=R,100,G,200,B,150'],
    ['matrix exploded', { style: 'matrix', explode: true }, '', ';color'],
    ['matrix exploded', { style: 'matrix', explode: true }, 'blue', ';color=blue'],
    [
      'matrix exploded',
      { style: 'matrix', explode: true },
      LIST,
      ';color=blue;color=black;color=brown',
    ],
    ['matrix exploded', { style: 'matrix', explode: true }, TABLE, ';R=100;G=200;B=150'],
  ])('%s (%#)', (_, style, value, text) => {
    expect(pathText(inPath('color', style), value)).toBe(text)
  })

  it.each<[string, Style]>([
    ['simple', {}],
    ['label', { style: 'label' }],
    ['matrix', { style: 'matrix', explode: true }],
  ])('%s encodes delimiters in keys and values', (_, style) => {
    const text = pathText(inPath('a/b', style), { 'k/?#': ['v/;,'] })
    expect(text).not.toMatch(/[/?#]/)
    expect(text.replace(/^[.;]?(?:a%2Fb=)?/, '')).toMatch(/^k%2F%3F%23[,=]%5B%22v%2F%3B%2C%22%5D$/)
  })
})

describe('in a query', () => {
  const written = (style: Style, value: unknown) =>
    queryPairs(inQuery('color', style), value)
      .map((pair) => pair.join('='))
      .join('&')

  it.each<[string, Style, unknown, string]>([
    ['form', {}, '', 'color='],
    ['form', {}, 'blue', 'color=blue'],
    ['form', {}, LIST, 'color=blue&color=black&color=brown'],
    ['form', {}, TABLE, 'R=100&G=200&B=150'],
    ['form, not exploded', { explode: false }, 'blue', 'color=blue'],
    ['form, not exploded', { explode: false }, LIST, 'color=blue,black,brown'],
    ['form, not exploded', { explode: false }, TABLE, 'color=R,100,G,200,B,150'],
    ['spaceDelimited', { style: 'spaceDelimited' }, LIST, 'color=blue%20black%20brown'],
    ['spaceDelimited', { style: 'spaceDelimited' }, TABLE, 'color=R%20100%20G%20200%20B%20150'],
    [
      'spaceDelimited exploded',
      { style: 'spaceDelimited', explode: true },
      LIST,
      'color=blue&color=black&color=brown',
    ],
    ['pipeDelimited', { style: 'pipeDelimited' }, LIST, 'color=blue%7Cblack%7Cbrown'],
    ['pipeDelimited', { style: 'pipeDelimited' }, TABLE, 'color=R%7C100%7CG%7C200%7CB%7C150'],
    ['deepObject', { style: 'deepObject' }, TABLE, 'color[R]=100&color[G]=200&color[B]=150'],
    ['deepObject', { style: 'deepObject' }, { a: { b: [1, 2] } }, 'color[a][b]=1&color[a][b]=2'],
    ['deepObject', { style: 'deepObject' }, 'blue', 'color=blue'],
    ['an empty list', {}, [], ''],
    ['an empty list, not exploded', { explode: false }, [], ''],
    ['an empty table', { style: 'deepObject' }, {}, ''],
    ['a boolean', {}, true, 'color=true'],
    ['zero', {}, 0, 'color=0'],
    ['a large integer', {}, 9_223_372_036_854_775_807n, 'color=9223372036854775807'],
    [
      'a table in a list',
      {},
      [{ a: [9_007_199_254_740_993n] }],
      'color=%7B%22a%22%3A%5B9007199254740993%5D%7D',
    ],
    ['a missing value in a list', { explode: false }, [1, null, 2], 'color=1,,2'],
    ['a separator in a value', { explode: false }, ['a,b', 'c'], 'color=a%2Cb,c'],
    ['an ampersand in a value', {}, 'a&b=c', 'color=a%26b%3Dc'],
  ])('%s (%#)', (_, style, value, text) => {
    expect(written(style, value)).toBe(text)
  })
})

describe('in a header or cookie', () => {
  it.each<[boolean, unknown, string]>([
    [false, 'blue', 'blue'],
    [false, LIST, 'blue,black,brown'],
    [false, TABLE, 'R,100,G,200,B,150'],
    [true, TABLE, 'R=100,G=200,B=150'],
  ])('a header, exploded %s: %j', (explode, value, text) => {
    expect(headerText(inHeader('X-Color', { explode }), value)).toBe(text)
  })

  it.each<[unknown, string]>([
    ['blue', 'blue'],
    ['a b; c=d, e', 'a%20b%3B%20c%3Dd%2C%20e'],
    [LIST, 'blue%2Cblack%2Cbrown'],
    [TABLE, 'R%2C100%2CG%2C200%2CB%2C150'],
  ])('a cookie: %j', (value, text) => {
    expect(cookieText(inCookie('color'), value)).toBe(text)
  })
})

it.each([
  ['{"a":[1,"x"]}', { a: [1, 'x'] }],
  ['["a","b"]', ['a', 'b']],
  ['"text"', 'text'],
  ['9007199254740993', 9007199254740993n],
])('%s is written as JSON in paths, queries and headers', (json, value) => {
  expect(pathText(inPath('p', { isJson: true }), value)).toBe(encodeURIComponent(json))
  expect(queryPairs(inQuery('p', { isJson: true }), value)).toEqual([
    ['p', encodeURIComponent(json)],
  ])
  expect(headerText(inHeader('p', { isJson: true }), value)).toBe(json)
})
