/** The request that an event of a function URL stands for. */
import { describe, expect, it } from 'vitest'
import { parseEvent, toRequest } from '../../src/entry/lambda/event.ts'

function requestOf(fields: object, method = 'POST'): Request {
  const event = {
    version: '2.0',
    rawPath: '/a',
    rawQueryString: '',
    headers: {},
    requestContext: { domainName: 'function.example', http: { method } },
    isBase64Encoded: false,
    ...fields,
  }
  return toRequest(parseEvent(event))
}

describe('a request', () => {
  it.each([
    ['', 'https://function.example/a'],
    ['a+b=1&c=%2B&c=%C3%A9', 'https://function.example/a?a+b=1&c=%2B&c=%C3%A9'],
  ])('with the query %j keeps it', (rawQueryString, url) => {
    expect(requestOf({ rawQueryString }).url).toBe(url)
  })

  it('has the headers and cookies of the event', () => {
    const headers = { accept: 'a,b', 'x-empty': '', 'x-name': 'été' }
    expect(Object.fromEntries(requestOf({ headers, cookies: ['a=1', 'b=é'] }).headers)).toEqual({
      accept: 'a,b',
      'x-empty': '',
      // Bytes, as every server shows them.
      'x-name': 'Ã©tÃ©',
      cookie: 'a=1; b=Ã©',
    })
  })

  it.each([
    ['text', { body: 'é\n', isBase64Encoded: false }, [0xc3, 0xa9, 0x0a]],
    ['bytes', { body: 'AP/+', isBase64Encoded: true }, [0, 255, 254]],
    ['padded bytes', { body: 'AA==', isBase64Encoded: true }, [0]],
    ['null', { body: null }, []],
    ['nothing', { body: '', isBase64Encoded: true }, []],
  ])('has a body of %s', async (_, fields, bytes) => {
    const request = requestOf(fields)
    expect([...(await request.bytes())]).toEqual(bytes)
    expect(request.headers.get('content-length')).toBe(bytes.length ? String(bytes.length) : null)
  })

  it.each(['GET', 'HEAD'])('by %s has none', (method) => {
    expect(requestOf({ body: 'text' }, method).body).toBeNull()
  })

  it.each([
    ['letters outside base64', { body: 'AA*A', isBase64Encoded: true }],
    ['base64 cut short', { body: 'AAA', isBase64Encoded: true }],
    ['a line break in a header', { headers: { a: 'b\nc' } }],
    ['no name of a header', { headers: { 'a b': 'c' } }],
    ['a host that is none', { requestContext: { domainName: 'a b', http: { method: 'GET' } } }],
  ])('cannot be made of %s', (_, fields) => {
    expect(() => requestOf(fields)).toThrow(TypeError)
  })
})
