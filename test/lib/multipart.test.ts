/** Forms with files, however they are cut into chunks. */
import { describe, expect, it } from 'vitest'
import { boundaryOf, formParts, MalformedForm } from '../../src/lib/streams/multipart.ts'

const B = 'X-boundary'

function streamOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, (at += size)))
    },
  })
}

const part = (name: string, body: string, type = '') =>
  `--${B}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n${type}\r\n${body}\r\n`

const END = `--${B}--\r\n`

async function readAll(text: string, size: number, withLength = true) {
  const bytes = withLength ? new TextEncoder().encode(text).length : undefined
  const parts: unknown[] = []
  for await (const { body, ...rest } of formParts(streamOf(text, size), B, bytes)) {
    parts.push({ ...rest, text: await new Response(body).text() })
  }
  return parts
}

describe.each([1, 2, 3, 7, 64, 10_000])('in chunks of %i bytes', (size) => {
  it('a form gives its files and fields', async () => {
    const tricky = `\r\n--X-bound\r\n\r--${B.slice(0, -1)}\r\n-`
    const form =
      `--${B}\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n` +
      part('é.csv', 'a,b\r\n1,2', 'content-type: text/csv\r\n') +
      part('a%22b%0Ac\\d', '') +
      part('t', tricky) +
      END
    expect(await readAll(form, size, false)).toEqual([
      { fileName: undefined, contentType: undefined, bytesIfLast: undefined, text: 'hello' },
      { fileName: 'é.csv', contentType: 'text/csv', bytesIfLast: undefined, text: 'a,b\r\n1,2' },
      { fileName: 'a"b\nc\\d', contentType: undefined, bytesIfLast: undefined, text: '' },
      { fileName: 't', contentType: undefined, bytesIfLast: undefined, text: tricky },
    ])
  })

  it('the length of the last file follows from that of the form', async () => {
    const parts = await readAll(part('a', 'one') + part('b', 'last of all') + END, size)
    expect(parts.at(-1)).toMatchObject({ text: 'last of all', bytesIfLast: 11 })
  })

  it('a file that nobody reads is skipped, and so are a preamble and an epilogue', async () => {
    const form = `before\r\n${part('a', 'unread '.repeat(99))}${part('b', 'read')}${END}after`
    const texts: string[] = []
    for await (const { fileName, body } of formParts(streamOf(form, size), B)) {
      if (fileName === 'b') texts.push(await new Response(body).text())
    }
    expect(texts).toEqual(['read'])
  })

  it.each([
    ['nothing', ''],
    ['no boundary', 'x'.repeat(100)],
    ['a file without an end', part('a', 'one')],
    ['headers without an end', `--${B}\r\nContent-Disposition: form-data`],
    ['a boundary that goes on', `--${B}\r\n\r\nx\r\n--${B}y`],
    ['endless headers', `--${B}\r\nX: ${'x'.repeat(20_000)}`],
  ])('%s is malformed', async (_, form) => {
    await expect(readAll(form, size)).rejects.toThrow(MalformedForm)
  })
})

it('a form of more than 2,000 parts is malformed', async () => {
  const empty = `--${B}\r\n\r\n\r\n`
  expect(await readAll(empty.repeat(2000) + END, 65_536)).toHaveLength(2000)
  await expect(readAll(empty.repeat(2001) + END, 65_536)).rejects.toThrow(MalformedForm)
})

it('a part without headers is a field', async () => {
  expect(await readAll(`--${B}\r\n\r\nx\r\n${END}`, 5, false)).toEqual([
    { fileName: undefined, contentType: undefined, bytesIfLast: undefined, text: 'x' },
  ])
})

it('takes time in proportion to its length, whatever looks like a boundary', async () => {
  const almost = `\r\n--${B.slice(0, -1)}`
  const form = part('a', almost.repeat(100_000)) + END
  const [only] = await readAll(form, 65_536)
  expect(only).toMatchObject({ text: almost.repeat(100_000) })
})

it.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['Multipart/Form-Data; charset=utf-8; boundary="a b"', 'a b'],
  ['multipart/form-data; boundary=a; charset=utf-8', 'a'],
  ['multipart/form-data', undefined],
  ['multipart/mixed; boundary=abc', undefined],
  [`multipart/form-data; boundary=${'x'.repeat(71)}`, undefined],
  ['application/x-www-form-urlencoded', undefined],
  [undefined, undefined],
])('the boundary of %j is %j', (type, boundary) => {
  expect(boundaryOf(type)).toBe(boundary)
})
