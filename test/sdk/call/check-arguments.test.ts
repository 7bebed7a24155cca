/** Wrong arguments are reported before anything is sent, with a suggestion. */
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/sdk/call/api-error.ts'
import type { BodyEntry, ParamEntry } from '../../../src/sdk/catalog/catalog.ts'
import {
  checkArguments,
  checkBody,
  parseArguments,
  type Arguments,
} from '../../../src/sdk/call/check-arguments.ts'
import { apiInfo, callEntry, inPath, inQuery } from '../../support/make-catalog.ts'

function problem(work: () => unknown): string | undefined {
  try {
    work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    expect(error.code).toBe('invalid_arguments')
    return error.message.replace('api.f: ', '')
  }
  return undefined
}

const check = (params: readonly ParamEntry[], args: Arguments, body?: BodyEntry) =>
  problem(() => checkArguments('api.f', apiInfo(), callEntry({ params, body }), args))

const PARAMS = [
  inPath('owner'),
  inQuery('per_page', { type: 'integer', check: { type: 'integer' } }),
  inQuery('state', { check: { enum: ['open', 'closed', 'all'] } }),
  inQuery('X-Rate-Limit'),
]

describe('names', () => {
  it.each<[Arguments, string | undefined]>([
    [{ owner: 'a' }, undefined],
    [{ owner: 'a', 'X-Rate-Limit': '1' }, undefined],
    [{ owner: 'a', X_Rate_Limit: '1' }, undefined],
    [{}, '"owner" is required (string)'],
    [{ owner: null }, '"owner" is required (string)'],
    [{ owner: 'a', perpage: 1 }, 'unknown parameter "perpage"; did you mean "per_page"?'],
    [{ owner: 'a', stat: 1 }, 'unknown parameter "stat"; did you mean "state"?'],
    [{ owner: 'a', body: {} }, 'unknown parameter "body"'],
    [{ owner: 'a', Owner: 'b' }, 'unknown parameter "Owner"; did you mean "owner"?'],
    [{ owner: 'a', toString: 'b' }, 'unknown parameter "toString"'],
  ])('%j', (args, expected) => expect(check(PARAMS, args)).toBe(expected))

  it('that are very long are shortened in the message', () => {
    const long = 'x'.repeat(2_000_000)
    expect(check(PARAMS, { owner: 'a', [long]: 1 })).toBe(`unknown parameter "${'x'.repeat(100)}…"`)
  })

  it('are required', () => {
    expect(problem(() => parseArguments('api.f', '["a"]'))).toBe(
      'arguments must be named: { name = value }',
    )
    expect(parseArguments('api.f', '[]')).toEqual({})
    expect(parseArguments('api.f', '{"id": 9007199254740993}')).toEqual({
      id: 9_007_199_254_740_993n,
    })
  })
})

describe('types', () => {
  /** A table whose fields are what JavaScript calls to make a text of it. */
  const tricky = JSON.parse('{"toString": 1, "valueOf": 2, "toJSON": 3}') as object
  type Type = NonNullable<NonNullable<ParamEntry['check']>['type']>

  it.each<[Type, readonly unknown[], readonly unknown[]]>([
    ['string', ['a', '', 1, 9_007_199_254_740_993n], [true, [], {}, ['a'], tricky]],
    ['integer', [1, -1, '7', 9_007_199_254_740_993n], [1.5, 'x', '', '1.5', true, [5], {}, tricky]],
    ['number', [1, 1.5, '1.5', '1e3', 2n], ['x', '', ' ', true, [5], tricky]],
    ['boolean', [true, false, 'true', 'false'], [1, 'yes', [], tricky]],
    ['array', [[], [1], {}], ['a', 1, { a: 1 }, tricky]],
    ['object', [{}, { a: 1 }, tricky], ['a', 1, [1]]],
  ])('%s', (type, good, bad) => {
    const params = [inQuery('value', { check: { type } })]
    const told = (value: unknown) => check(params, { value })
    expect(good.map(told)).toEqual(good.map(() => undefined))
    expect(bad.map(told)).toEqual(bad.map(() => `"value" must be of type ${type}`))
  })

  it('with choices', () => {
    const owner = { owner: 'a' }
    expect(check(PARAMS, { ...owner, state: 'open' })).toBeUndefined()
    expect(check(PARAMS, { ...owner, state: ['open', 'closed'] })).toBeUndefined()
    expect(check(PARAMS, { ...owner, state: 'opened' })).toBe(
      '"state" must be one of open, closed, all; did you mean "open"?',
    )
    expect(check(PARAMS, { ...owner, state: tricky })).toBe(
      '"state" must be one of open, closed, all',
    )
  })
})

describe('a body', () => {
  const entry: BodyEntry = {
    contentTypes: ['application/json'],
    isRequired: true,
    type: 'NewIssue',
    required: ['title'],
    fields: ['title', 'labels', 'constructor'],
  }
  it.each<[BodyEntry | undefined, unknown, string | undefined]>([
    [entry, { title: 'a' }, undefined],
    [entry, undefined, '"body" is required (NewIssue)'],
    [entry, { labels: [] }, '"body.title" is required'],
    [entry, { title: 'a', label: 1 }, 'unknown field "body.label"; did you mean "labels"?'],
    [{ ...entry, required: ['constructor'] }, {}, '"body.constructor" is required'],
    [entry, [1], undefined],
    [{ ...entry, fields: undefined }, { title: 'a', any: 1 }, undefined],
    [undefined, { a: 1 }, 'takes no body'],
    [undefined, undefined, undefined],
  ])('%#: %j', (body, value, expected) => {
    expect(problem(() => checkBody('api.f', body, value))).toBe(expected)
  })
})
