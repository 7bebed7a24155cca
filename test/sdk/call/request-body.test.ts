/** Request bodies: content types, exact numbers, and files. */
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/sdk/call/api-error.ts'
import type { BodyEntry } from '../../../src/sdk/catalog/catalog.ts'
import {
  essence,
  isJsonType,
  requestBody,
  type BodyInput,
} from '../../../src/sdk/call/request-body.ts'
import { parseExact } from '../../../src/sdk/call/exact-json.ts'
import type { ApiFiles } from '../../../src/vm/library/library-host.ts'

const FILES: Readonly<Record<string, Uint8Array>> = {
  'input/a.bin': Uint8Array.of(0, 255, 10, 13),
  'deep/er/photo.png': Uint8Array.of(1, 2, 3),
}

const files: ApiFiles = {
  read: async (path) => FILES[path] ?? Promise.reject(new Error(`${path} is not there`)),
  assertCanSave: () => undefined,
  openSave() {
    throw new Error('nothing is saved here')
  },
}

const FORM = 'application/x-www-form-urlencoded'
const PARTS = 'multipart/form-data'

async function sent(
  given: BodyInput,
  contentTypes: readonly string[] = ['application/json'],
  wanted?: string,
  more: Partial<BodyEntry> = {},
) {
  const entry: BodyEntry = { contentTypes, type: 'object', ...more }
  const body = await requestBody('api.f', entry, given, wanted, files)
  if (!body) return undefined
  const request = new Request('https://api.test', {
    method: 'POST',
    body: body.content,
    ...(body.contentType !== undefined && { headers: { 'Content-Type': body.contentType } }),
  })
  return { type: request.headers.get('Content-Type')!, request, text: () => request.text() }
}

const textOf = async (...args: Parameters<typeof sent>) => (await sent(...args))!.text()
const bytes = (text: string) => new TextEncoder().encode(text)

async function refusal(...args: Parameters<typeof sent>): Promise<string> {
  return sent(...args).then(
    () => 'it was not refused',
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      return `${error.code} ${error.message}`
    },
  )
}

describe('JSON', () => {
  it.each([
    ['9223372036854775807'],
    ['-9223372036854775808'],
    ['9007199254740993'],
    ['1e+300'],
    ['0.1'],
    ['[1,{"a":null}]'],
    ['{"__proto__":{"admin":true},"constructor":1}'],
    ['"👍\\u0000"'],
  ])('%s is sent unchanged', async (json) => {
    expect(await textOf({ value: parseExact(json) })).toBe(json)
  })

  it('text from a script is sent unchanged', async () => {
    expect(await textOf({ bytes: bytes('{"a": 9007199254740993}') })).toBe(
      '{"a": 9007199254740993}',
    )
    expect(await refusal({ bytes: bytes('{a}') })).toBe(
      'invalid_arguments api.f: "body" must be a table or JSON text',
    )
  })

  it('is made of a string if the API takes one', async () => {
    expect(await textOf({ bytes: bytes('{"a"}') }, undefined, undefined, { type: 'string' })).toBe(
      String.raw`"{\"a\"}"`,
    )
    expect(await refusal({ bytes: Uint8Array.of(0xff) })).toBe(
      'invalid_arguments api.f: "body" is not UTF-8 text',
    )
  })

  it('has several content types', () => {
    expect(
      ['application/json', 'text/json; charset=utf-8', 'application/vnd.x+json'].map(isJsonType),
    ).toEqual([true, true, true])
    expect(
      ['application/x-ndjson', 'application/json-seq', 'text/plain', ''].map(isJsonType),
    ).toEqual([false, false, false, false])
  })
})

describe('a form', () => {
  it('has a pair for each item', async () => {
    const value = { b: ['x y', 2], a: true, o: { n: 9_007_199_254_740_993n }, none: null, e: '&=+' }
    const { type, text } = (await sent({ value }, [FORM]))!
    expect(type).toBe(FORM)
    expect(await text()).toBe(
      'b=x+y&b=2&a=true&o=%7B%22n%22%3A9007199254740993%7D&none=&e=%26%3D%2B',
    )
  })

  it('may have a field named file', async () => {
    expect(await textOf({ value: { file: 'F123' } }, [FORM])).toBe('file=F123')
  })
})

describe('parts', () => {
  it('are fields and files', async () => {
    const value = {
      name: 'grün',
      tags: ['a', 'b'],
      meta: { n: 1 },
      photo: { file: 'deep/er/photo.png' },
      file: 'only a text',
    }
    const { type, request } = (await sent({ value }, [PARTS]))!
    expect(type).toMatch(/^multipart\/form-data; ?boundary=/)
    const data = await request.formData()
    expect(data.getAll('tags')).toEqual(['a', 'b'])
    expect([data.get('name'), data.get('meta'), data.get('file')]).toEqual([
      'grün',
      '{"n":1}',
      'only a text',
    ])
    const photo = data.get('photo') as File
    expect([photo.name, new Uint8Array(await photo.arrayBuffer())]).toEqual([
      'photo.png',
      FILES['deep/er/photo.png'],
    ])
  })

  it('cannot be injected by names', async () => {
    const value = { 'a"\r\nX: 1': 'b\r\n--x', f: { file: 'input/a.bin' } }
    const { request } = (await sent({ value }, [PARTS]))!
    const data = await request.formData()
    expect([...data.keys()]).toHaveLength(2)
    expect([...data.values()][0]).toBe('b\r\n--x')
  })
})

describe('bytes', () => {
  it.each(['application/octet-stream', 'image/png', 'text/plain'])('%s', async (type) => {
    const given = Uint8Array.of(0, 255, 10, 13)
    const { request, type: shown } = (await sent({ bytes: given }, [type]))!
    expect([shown, new Uint8Array(await request.arrayBuffer())]).toEqual([type, given])
  })

  it('come from a file', async () => {
    const { request } = (await sent({ value: { file: 'input/a.bin' } }, ['image/png']))!
    expect(new Uint8Array(await request.arrayBuffer())).toEqual(FILES['input/a.bin'])
  })

  it('of a number are its digits', async () => {
    expect(await textOf({ value: 5 }, ['text/plain'])).toBe('5')
  })
})

describe('the content type', () => {
  it.each<[string, readonly string[], string | undefined, string]>([
    ['is the first', ['text/csv', 'application/json'], undefined, 'text/csv'],
    ['is the one asked for', ['text/csv', 'text/plain'], 'text/plain', 'text/plain'],
    ['may have parameters', ['text/csv'], 'text/csv; header=present', 'text/csv; header=present'],
    ['may be one of many', ['image/*'], 'image/png', 'image/png'],
    ['may be any', ['*/*'], 'image/png', 'image/png'],
    ['is never a pattern', ['image/*'], undefined, 'application/octet-stream'],
  ])('%s', async (_, offered, wanted, type) => {
    expect((await sent({ bytes: bytes('x') }, offered, wanted))!.type).toBe(type)
  })

  it.each(['text/html', 'image/*', '*/*', 'text/csv;\r\nX-Evil: 1', 'text/csv; x="👍"', ''])(
    '%j is refused',
    async (wanted) => {
      expect(await refusal({ bytes: bytes('x') }, ['text/csv'], wanted)).toBe(
        'invalid_arguments api.f: content_type must be one of text/csv',
      )
    },
  )

  it('without parameters is its essence', () => {
    expect(essence(' Text/HTML ; charset=x;y')).toBe('text/html')
  })
})

it('no input makes no body', async () => {
  expect(await sent({})).toBeUndefined()
})
