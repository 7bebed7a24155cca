import { expect, it } from 'vitest'
import type { ParamEntry } from '../../src/sdk/catalog/catalog.ts'
import { headerText, pathText, queryPairs } from '../../src/sdk/call/build-request.ts'

const param = (place: ParamEntry['in']): ParamEntry => ({
  name: 'p',
  in: place,
  type: 'any',
  isJson: true,
})

it.each([
  ['{"a":[1,"x"]}', { a: [1, 'x'] }],
  ['["a","b"]', ['a', 'b']],
  ['"text"', 'text'],
  ['9007199254740993', 9007199254740993n],
])('%s is written as JSON wherever it goes', (json, value) => {
  expect(pathText(param('path'), value)).toBe(encodeURIComponent(json))
  expect(queryPairs(param('query'), value)).toEqual([['p', encodeURIComponent(json)]])
  expect(headerText(param('header'), value)).toBe(json)
})
