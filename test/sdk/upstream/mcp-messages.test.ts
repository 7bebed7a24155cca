/** Messages from untrusted MCP servers. */
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/sdk/call/api-error.ts'
import {
  messagesIn,
  resultOf,
  toolsIn,
  untilAnswered,
} from '../../../src/sdk/upstream/mcp-messages.ts'

const EVENTS = { 'Content-Type': 'text/event-stream; charset=utf-8' }
const JSON_TYPE = { 'Content-Type': 'application/json' }

const messages = (text: string, headers: Record<string, string> = JSON_TYPE) =>
  messagesIn({
    status: 200,
    statusText: '',
    headers: new Headers(headers),
    bytes: new TextEncoder().encode(text),
  })

describe('messages', () => {
  it.each<[string, string, unknown[]]>([
    ['one', '{"id":1}', [{ id: 1 }]],
    ['a batch', '[{"id":1},{"id":2}]', [{ id: 1 }, { id: 2 }]],
    ['numbers, texts and nothing in it', '[1,"a",null,{"id":1},[2]]', [{}, {}, {}, { id: 1 }, {}]],
    ['a page', '<html>', [{}]],
    ['nothing', '', [{}]],
    ['null', 'null', [{}]],
    ['large numbers', '{"id":9007199254740993}', [{ id: 9_007_199_254_740_993n }]],
  ])('as JSON: %s', (_, text, expected) => expect(messages(text)).toEqual(expected))

  it.each<[string, string, unknown[]]>([
    ['one', 'event: message\ndata: {"id":1}\n\n', [{ id: 1 }]],
    [
      'with other line ends',
      'data: {"id":1}\r\n\r\ndata:{"id":2}\r\rdata:{"id":3}\n\n',
      [{ id: 1 }, { id: 2 }, { id: 3 }],
    ],
    ['over several lines', 'data: {"id":\ndata: 1}\n\n', [{ id: 1 }]],
    ['with comments and more', ': ping\n\nid: 7\nretry: 5\ndata: {"id":1}\n\n', [{ id: 1 }]],
    ['cut short', 'data: {"id":1}', [{ id: 1 }]],
    ['without data', 'event: x\n\n\n\n', []],
  ])('as events: %s', (_, text, expected) => expect(messages(text, EVENTS)).toEqual(expected))

  it('may be enormous batches', () => {
    const text = `[${'0,'.repeat(400_000)}{"id":1}]`
    expect(messages(text).at(-1)).toEqual({ id: 1 })
    expect(messages(`data: ${text}\n\n`, EVENTS).at(-1)).toEqual({ id: 1 })
  })
})

describe('the end of a stream of events', () => {
  const read = (pieces: Iterable<string>, headers: Record<string, string> = EVENTS) => {
    const take = untilAnswered(5)(new Headers(headers))
    let count = 0
    for (const piece of pieces) {
      count++
      if (take(new TextEncoder().encode(piece))) return count
    }
    return 'it goes on'
  }

  it('is the answer', () => {
    const answer = 'data: {"id":5,"result":{}}\n\n'
    expect(read([': hello\n\n', 'data: {"id":4}\n\n', answer, ': ping\n\n'])).toBe(3)
    expect(read(answer)).toBe(answer.length)
    expect(read(['data: {"id":"5"}\n\n', 'data: {"method":"x"}\n\n'])).toBe('it goes on')
  })

  it('is not detected in JSON', () => {
    expect(read(['{"id":5}', '\n\n'], JSON_TYPE)).toBe('it goes on')
  })

  it('is found in linear time in small pieces', () => {
    expect(read('x'.repeat(50_000))).toBe('it goes on')
    expect(read('\n'.repeat(50_000))).toBe('it goes on')
    expect(read(`data: ${'x'.repeat(50_000)}\n\n`)).toBe('it goes on')
  })
})

it('tools need valid names; only true marks them as read-only', () => {
  const tools = [
    { name: 'a', annotations: { readOnlyHint: true } },
    { name: 'b', annotations: { readOnlyHint: 'true' } },
    { name: 'c', annotations: null },
    { name: '' },
    { name: 5 },
    { name: 'x'.repeat(129) },
    null,
    'text',
  ]
  expect(toolsIn({ tools })).toMatchObject([
    { name: 'a', isReadOnly: true },
    { name: 'b', isReadOnly: false },
    { name: 'c', isReadOnly: false },
  ])
  expect([{ tools: 'abc' }, { tools: { length: 9 } }, {}].map(toolsIn)).toEqual([[], [], []])
})

describe('the result of a tool', () => {
  const text = (said: unknown) => ({ type: 'text', text: said })
  it.each<[string, Record<string, unknown>, unknown]>([
    ['data', { structuredContent: { a: 1 }, content: [text('{"a":2}')] }, { a: 1 }],
    ['text', { content: [text('hello')] }, 'hello'],
    ['JSON as text', { content: [text('{"a":[1]}')] }, { a: [1] }],
    [
      'several texts',
      { content: [text('a'), { type: 'image', data: 'x' }, text('b')] },
      ['a', 'b'],
    ],
    ['no text', { content: [{ type: 'image', data: 'x' }] }, []],
    ['parts that are none', { content: [null, 5, 'x', [], text(5), text('a')] }, 'a'],
    ['no list of parts', { content: 'hello' }, []],
    ['nothing', {}, []],
    ['JSON deeper than can be followed', { content: [text('['.repeat(5000))] }, '['.repeat(5000)],
  ])('%s', (_, result, value) => expect(resultOf('crm.f', result)).toEqual(value))

  it('an error', () => {
    const told = (result: Record<string, unknown>) => {
      try {
        return resultOf('crm.f', { isError: true, ...result })
      } catch (error) {
        return error instanceof ApiError && [error.code, error.message, error.details.body]
      }
    }
    expect(told({ content: [text('no such'), text('customer')] })).toEqual([
      'tool_error',
      'crm.f: no such\ncustomer',
      ['no such', 'customer'],
    ])
    expect(told({})).toEqual(['tool_error', 'crm.f: the tool failed', []])
    expect(told({ structuredContent: { code: 7 } })).toEqual([
      'tool_error',
      'crm.f: the tool failed',
      { code: 7 },
    ])
    expect(told({ content: [text('x'.repeat(9000))] })).toMatchObject({
      1: `crm.f: ${'x'.repeat(1000)}`,
    })
  })
})
